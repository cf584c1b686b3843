/* SPDX-License-Identifier: Apache-2.0 */
/* The interface of MPI for tools; mpi.h includes this. */
#ifndef IMBREX_MPI_TOOL_H
#define IMBREX_MPI_TOOL_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct MPIR_T_enum_s* MPI_T_enum;
typedef struct MPIR_T_cvar_handle_s* MPI_T_cvar_handle;
typedef struct MPIR_T_pvar_handle_s* MPI_T_pvar_handle;
typedef struct MPIR_T_pvar_session_s* MPI_T_pvar_session;

#define MPI_T_ENUM_NULL ((MPI_T_enum)0)
#define MPI_T_CVAR_HANDLE_NULL ((MPI_T_cvar_handle)0)
#define MPI_T_PVAR_HANDLE_NULL ((MPI_T_pvar_handle)0)
#define MPI_T_PVAR_SESSION_NULL ((MPI_T_pvar_session)0)

enum {
  MPI_T_VERBOSITY_USER_BASIC = 221,
  MPI_T_VERBOSITY_USER_DETAIL,
  MPI_T_VERBOSITY_USER_ALL,
  MPI_T_VERBOSITY_TUNER_BASIC,
  MPI_T_VERBOSITY_TUNER_DETAIL,
  MPI_T_VERBOSITY_TUNER_ALL,
  MPI_T_VERBOSITY_MPIDEV_BASIC,
  MPI_T_VERBOSITY_MPIDEV_DETAIL,
  MPI_T_VERBOSITY_MPIDEV_ALL
};

enum {
  MPI_T_BIND_NO_OBJECT = 9700,
  MPI_T_BIND_MPI_COMM,
  MPI_T_BIND_MPI_DATATYPE,
  MPI_T_BIND_MPI_ERRHANDLER,
  MPI_T_BIND_MPI_FILE,
  MPI_T_BIND_MPI_GROUP,
  MPI_T_BIND_MPI_OP,
  MPI_T_BIND_MPI_REQUEST,
  MPI_T_BIND_MPI_WIN,
  MPI_T_BIND_MPI_MESSAGE,
  MPI_T_BIND_MPI_INFO
};

enum {
  MPI_T_SCOPE_CONSTANT = 60438,
  MPI_T_SCOPE_READONLY,
  MPI_T_SCOPE_LOCAL,
  MPI_T_SCOPE_GROUP,
  MPI_T_SCOPE_GROUP_EQ,
  MPI_T_SCOPE_ALL,
  MPI_T_SCOPE_ALL_EQ
};

enum {
  MPI_T_PVAR_CLASS_STATE = 240,
  MPI_T_PVAR_CLASS_LEVEL,
  MPI_T_PVAR_CLASS_SIZE,
  MPI_T_PVAR_CLASS_PERCENTAGE,
  MPI_T_PVAR_CLASS_HIGHWATERMARK,
  MPI_T_PVAR_CLASS_LOWWATERMARK,
  MPI_T_PVAR_CLASS_COUNTER,
  MPI_T_PVAR_CLASS_AGGREGATE,
  MPI_T_PVAR_CLASS_TIMER,
  MPI_T_PVAR_CLASS_GENERIC
};

#define IMBREX_MPI_PUBLIC __attribute__((visibility("default")))
#define IMBREX_MPI(result, name, parameters)    \
  IMBREX_MPI_PUBLIC result MPI_##name parameters; \
  IMBREX_MPI_PUBLIC result PMPI_##name parameters;

extern IMBREX_MPI_PUBLIC struct MPIR_T_pvar_handle_s* const MPI_T_PVAR_ALL_HANDLES;

IMBREX_MPI(int, T_category_changed, (int* update_number))
IMBREX_MPI(int, T_category_get_categories, (int cat_index, int len, int indices[]))
IMBREX_MPI(int, T_category_get_cvars, (int cat_index, int len, int indices[]))
IMBREX_MPI(int, T_category_get_index, (const char* name, int* cat_index))
IMBREX_MPI(int, T_category_get_info, (int cat_index, char* name, int* name_len, char* desc, int* desc_len,
    int* num_cvars, int* num_pvars, int* num_categories))
IMBREX_MPI(int, T_category_get_num, (int* num_cat))
IMBREX_MPI(int, T_category_get_pvars, (int cat_index, int len, int indices[]))
IMBREX_MPI(int, T_cvar_get_index, (const char* name, int* cvar_index))
IMBREX_MPI(int, T_cvar_get_info, (int cvar_index, char* name, int* name_len, int* verbosity,
    MPI_Datatype* datatype, MPI_T_enum* enumtype, char* desc, int* desc_len, int* bind, int* scope))
IMBREX_MPI(int, T_cvar_get_num, (int* num_cvar))
IMBREX_MPI(int, T_cvar_handle_alloc, (int cvar_index, void* obj_handle, MPI_T_cvar_handle* handle,
    int* count))
IMBREX_MPI(int, T_cvar_handle_free, (MPI_T_cvar_handle* handle))
IMBREX_MPI(int, T_cvar_read, (MPI_T_cvar_handle handle, void* buf))
IMBREX_MPI(int, T_cvar_write, (MPI_T_cvar_handle handle, const void* buf))
IMBREX_MPI(int, T_enum_get_info, (MPI_T_enum enumtype, int* num, char* name, int* name_len))
IMBREX_MPI(int, T_enum_get_item, (MPI_T_enum enumtype, int indx, int* value, char* name, int* name_len))
IMBREX_MPI(int, T_finalize, (void))
IMBREX_MPI(int, T_init_thread, (int required, int* provided))
IMBREX_MPI(int, T_pvar_get_index, (const char* name, int var_class, int* pvar_index))
IMBREX_MPI(int, T_pvar_get_info, (int pvar_index, char* name, int* name_len, int* verbosity, int* var_class,
    MPI_Datatype* datatype, MPI_T_enum* enumtype, char* desc, int* desc_len, int* bind, int* readonly,
    int* continuous, int* atomic))
IMBREX_MPI(int, T_pvar_get_num, (int* num_pvar))
IMBREX_MPI(int, T_pvar_handle_alloc, (MPI_T_pvar_session session, int pvar_index, void* obj_handle,
    MPI_T_pvar_handle* handle, int* count))
IMBREX_MPI(int, T_pvar_handle_free, (MPI_T_pvar_session session, MPI_T_pvar_handle* handle))
IMBREX_MPI(int, T_pvar_read, (MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* buf))
IMBREX_MPI(int, T_pvar_readreset, (MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* buf))
IMBREX_MPI(int, T_pvar_reset, (MPI_T_pvar_session session, MPI_T_pvar_handle handle))
IMBREX_MPI(int, T_pvar_session_create, (MPI_T_pvar_session* session))
IMBREX_MPI(int, T_pvar_session_free, (MPI_T_pvar_session* session))
IMBREX_MPI(int, T_pvar_start, (MPI_T_pvar_session session, MPI_T_pvar_handle handle))
IMBREX_MPI(int, T_pvar_stop, (MPI_T_pvar_session session, MPI_T_pvar_handle handle))
IMBREX_MPI(int, T_pvar_write, (MPI_T_pvar_session session, MPI_T_pvar_handle handle, const void* buf))
#undef IMBREX_MPI
#undef IMBREX_MPI_PUBLIC

#ifdef __cplusplus
}
#endif

#endif
