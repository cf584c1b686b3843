/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of MPI for files, declared only: each reports that it is not supported; mpi.h includes this. */
#ifndef IMBREX_MPI_IO_H
#define IMBREX_MPI_IO_H

#ifdef __cplusplus
extern "C" {
#endif

#define MPI_MODE_CREATE 1
#define MPI_MODE_RDONLY 2
#define MPI_MODE_WRONLY 4
#define MPI_MODE_RDWR 8
#define MPI_MODE_DELETE_ON_CLOSE 16
#define MPI_MODE_UNIQUE_OPEN 32
#define MPI_MODE_EXCL 64
#define MPI_MODE_APPEND 128
#define MPI_MODE_SEQUENTIAL 256
#define MPI_DISPLACEMENT_CURRENT -54278278
#define MPI_SEEK_SET 600
#define MPI_SEEK_CUR 602
#define MPI_SEEK_END 604

typedef int(MPI_Datarep_conversion_function)(void*, MPI_Datatype, int, void*, MPI_Offset, void*);
typedef int(MPI_Datarep_extent_function)(MPI_Datatype, MPI_Aint*, void*);
#define MPI_CONVERSION_FN_NULL ((MPI_Datarep_conversion_function*)0)

#define IMBREX_MPI_PUBLIC __attribute__((visibility("default")))
#define IMBREX_MPI(result, name, parameters)    \
  IMBREX_MPI_PUBLIC result MPI_##name parameters; \
  IMBREX_MPI_PUBLIC result PMPI_##name parameters;

IMBREX_MPI(int, File_call_errhandler, (MPI_File fh, int errorcode))
IMBREX_MPI(int, File_create_errhandler, (MPI_File_errhandler_function* file_errhandler_fn,
    MPI_Errhandler* errhandler))
IMBREX_MPI(int, File_get_errhandler, (MPI_File file, MPI_Errhandler* errhandler))
IMBREX_MPI(int, File_set_errhandler, (MPI_File file, MPI_Errhandler errhandler))
IMBREX_MPI(int, File_open, (MPI_Comm comm, const char* filename, int amode, MPI_Info info, MPI_File* fh))
IMBREX_MPI(int, File_close, (MPI_File* fh))
IMBREX_MPI(int, File_delete, (const char* filename, MPI_Info info))
IMBREX_MPI(int, File_set_size, (MPI_File fh, MPI_Offset size))
IMBREX_MPI(int, File_preallocate, (MPI_File fh, MPI_Offset size))
IMBREX_MPI(int, File_get_size, (MPI_File fh, MPI_Offset* size))
IMBREX_MPI(int, File_get_group, (MPI_File fh, MPI_Group* group))
IMBREX_MPI(int, File_get_amode, (MPI_File fh, int* amode))
IMBREX_MPI(int, File_set_info, (MPI_File fh, MPI_Info info))
IMBREX_MPI(int, File_get_info, (MPI_File fh, MPI_Info* info_used))
IMBREX_MPI(int, File_set_view, (MPI_File fh, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype,
    const char* datarep, MPI_Info info))
IMBREX_MPI(int, File_get_view, (MPI_File fh, MPI_Offset* disp, MPI_Datatype* etype, MPI_Datatype* filetype,
    char* datarep))
IMBREX_MPI(int, File_read_at, (MPI_File fh, MPI_Offset offset, void* buf, int count, MPI_Datatype datatype,
    MPI_Status* status))
IMBREX_MPI(int, File_read_at_all, (MPI_File fh, MPI_Offset offset, void* buf, int count,
    MPI_Datatype datatype, MPI_Status* status))
IMBREX_MPI(int, File_write_at, (MPI_File fh, MPI_Offset offset, const void* buf, int count,
    MPI_Datatype datatype, MPI_Status* status))
IMBREX_MPI(int, File_write_at_all, (MPI_File fh, MPI_Offset offset, const void* buf, int count,
    MPI_Datatype datatype, MPI_Status* status))
IMBREX_MPI(int, File_iread_at, (MPI_File fh, MPI_Offset offset, void* buf, int count, MPI_Datatype datatype,
    MPI_Request* request))
IMBREX_MPI(int, File_iwrite_at, (MPI_File fh, MPI_Offset offset, const void* buf, int count,
    MPI_Datatype datatype, MPI_Request* request))
IMBREX_MPI(int, File_read, (MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Status* status))
IMBREX_MPI(int, File_read_all, (MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Status* status))
IMBREX_MPI(int, File_write, (MPI_File fh, const void* buf, int count, MPI_Datatype datatype,
    MPI_Status* status))
IMBREX_MPI(int, File_write_all, (MPI_File fh, const void* buf, int count, MPI_Datatype datatype,
    MPI_Status* status))
IMBREX_MPI(int, File_iread, (MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Request* request))
IMBREX_MPI(int, File_iwrite, (MPI_File fh, const void* buf, int count, MPI_Datatype datatype,
    MPI_Request* request))
IMBREX_MPI(int, File_seek, (MPI_File fh, MPI_Offset offset, int whence))
IMBREX_MPI(int, File_get_position, (MPI_File fh, MPI_Offset* offset))
IMBREX_MPI(int, File_get_byte_offset, (MPI_File fh, MPI_Offset offset, MPI_Offset* disp))
IMBREX_MPI(int, File_read_shared, (MPI_File fh, void* buf, int count, MPI_Datatype datatype,
    MPI_Status* status))
IMBREX_MPI(int, File_write_shared, (MPI_File fh, const void* buf, int count, MPI_Datatype datatype,
    MPI_Status* status))
IMBREX_MPI(int, File_iread_shared, (MPI_File fh, void* buf, int count, MPI_Datatype datatype,
    MPI_Request* request))
IMBREX_MPI(int, File_iwrite_shared, (MPI_File fh, const void* buf, int count, MPI_Datatype datatype,
    MPI_Request* request))
IMBREX_MPI(int, File_read_ordered, (MPI_File fh, void* buf, int count, MPI_Datatype datatype,
    MPI_Status* status))
IMBREX_MPI(int, File_write_ordered, (MPI_File fh, const void* buf, int count, MPI_Datatype datatype,
    MPI_Status* status))
IMBREX_MPI(int, File_seek_shared, (MPI_File fh, MPI_Offset offset, int whence))
IMBREX_MPI(int, File_get_position_shared, (MPI_File fh, MPI_Offset* offset))
IMBREX_MPI(int, File_read_at_all_begin, (MPI_File fh, MPI_Offset offset, void* buf, int count,
    MPI_Datatype datatype))
IMBREX_MPI(int, File_read_at_all_end, (MPI_File fh, void* buf, MPI_Status* status))
IMBREX_MPI(int, File_write_at_all_begin, (MPI_File fh, MPI_Offset offset, const void* buf, int count,
    MPI_Datatype datatype))
IMBREX_MPI(int, File_write_at_all_end, (MPI_File fh, const void* buf, MPI_Status* status))
IMBREX_MPI(int, File_read_all_begin, (MPI_File fh, void* buf, int count, MPI_Datatype datatype))
IMBREX_MPI(int, File_read_all_end, (MPI_File fh, void* buf, MPI_Status* status))
IMBREX_MPI(int, File_write_all_begin, (MPI_File fh, const void* buf, int count, MPI_Datatype datatype))
IMBREX_MPI(int, File_write_all_end, (MPI_File fh, const void* buf, MPI_Status* status))
IMBREX_MPI(int, File_read_ordered_begin, (MPI_File fh, void* buf, int count, MPI_Datatype datatype))
IMBREX_MPI(int, File_read_ordered_end, (MPI_File fh, void* buf, MPI_Status* status))
IMBREX_MPI(int, File_write_ordered_begin, (MPI_File fh, const void* buf, int count, MPI_Datatype datatype))
IMBREX_MPI(int, File_write_ordered_end, (MPI_File fh, const void* buf, MPI_Status* status))
IMBREX_MPI(int, File_get_type_extent, (MPI_File fh, MPI_Datatype datatype, MPI_Aint* extent))
IMBREX_MPI(int, Register_datarep, (const char* datarep, MPI_Datarep_conversion_function* read_conversion_fn,
    MPI_Datarep_conversion_function* write_conversion_fn, MPI_Datarep_extent_function* dtype_file_extent_fn,
    void* extra_state))
IMBREX_MPI(int, File_set_atomicity, (MPI_File fh, int flag))
IMBREX_MPI(int, File_get_atomicity, (MPI_File fh, int* flag))
IMBREX_MPI(int, File_sync, (MPI_File fh))
IMBREX_MPI(int, File_iread_at_all, (MPI_File fh, MPI_Offset offset, void* buf, int count,
    MPI_Datatype datatype, MPI_Request* request))
IMBREX_MPI(int, File_iwrite_at_all, (MPI_File fh, MPI_Offset offset, const void* buf, int count,
    MPI_Datatype datatype, MPI_Request* request))
IMBREX_MPI(int, File_iread_all, (MPI_File fh, void* buf, int count, MPI_Datatype datatype,
    MPI_Request* request))
IMBREX_MPI(int, File_iwrite_all, (MPI_File fh, const void* buf, int count, MPI_Datatype datatype,
    MPI_Request* request))
IMBREX_MPI(MPI_File, File_f2c, (MPI_Fint file))
IMBREX_MPI(MPI_Fint, File_c2f, (MPI_File file))
#undef IMBREX_MPI
#undef IMBREX_MPI_PUBLIC

#ifdef __cplusplus
}
#endif

#endif
