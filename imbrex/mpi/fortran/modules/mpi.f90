! SPDX-License-Identifier: Apache-2.0
module mpi
use mpi_constants
use mpi_sizeofs
use mpi_base
end module
