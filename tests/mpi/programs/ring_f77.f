! SPDX-License-Identifier: Apache-2.0
! The fixed form of source, and mpif.h: a token goes around, and collects 3 from each rank.
      PROGRAM RING
      IMPLICIT NONE
      INCLUDE 'mpif.h'
      INTEGER RANK, RANKS, TOKEN, IERR, STATUS(MPI_STATUS_SIZE)
      CALL MPI_INIT(IERR)
      CALL MPI_COMM_RANK(MPI_COMM_WORLD, RANK, IERR)
      CALL MPI_COMM_SIZE(MPI_COMM_WORLD, RANKS, IERR)
      IF (RANK .EQ. 0) THEN
        TOKEN = 0
        CALL MPI_SEND(TOKEN, 1, MPI_INTEGER, MOD(1, RANKS), 1,
     &                MPI_COMM_WORLD, IERR)
        CALL MPI_RECV(TOKEN, 1, MPI_INTEGER, RANKS - 1, 1,
     &                MPI_COMM_WORLD, STATUS, IERR)
        WRITE (*, '(A,I0,A,I0)') 'TOKEN ', TOKEN, ' FROM ',
     &                           STATUS(MPI_SOURCE)
      ELSE
        CALL MPI_RECV(TOKEN, 1, MPI_INTEGER, RANK - 1, 1,
     &                MPI_COMM_WORLD, MPI_STATUS_IGNORE, IERR)
        TOKEN = TOKEN + 3
        CALL MPI_SEND(TOKEN, 1, MPI_INTEGER, MOD(RANK + 1, RANKS),
     &                1, MPI_COMM_WORLD, IERR)
      END IF
      CALL MPI_FINALIZE(IERR)
      END
