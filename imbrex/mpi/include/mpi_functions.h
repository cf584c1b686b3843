/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of MPI, except for files and tools, each as MPI_name and PMPI_name; mpi.h includes this. */
#ifndef IMBREX_MPI_FUNCTIONS_H
#define IMBREX_MPI_FUNCTIONS_H

#ifdef __cplusplus
extern "C" {
#endif

#define IMBREX_MPI_PUBLIC __attribute__((visibility("default")))
#define IMBREX_MPI(result, name, parameters)    \
  IMBREX_MPI_PUBLIC result MPI_##name parameters; \
  IMBREX_MPI_PUBLIC result PMPI_##name parameters;
#define IMBREX_MPIX(result, name, parameters)    \
  IMBREX_MPI_PUBLIC result MPIX_##name parameters; \
  IMBREX_MPI_PUBLIC result PMPIX_##name parameters;
#define IMBREX_AMPI(result, name, parameters)    \
  IMBREX_MPI_PUBLIC result AMPI_##name parameters; \
  IMBREX_MPI_PUBLIC result PAMPI_##name parameters;

/* Start and end */
IMBREX_MPI(int, Abort, (MPI_Comm comm, int errorcode))
IMBREX_MPI(int, Finalize, (void))
IMBREX_MPI(int, Finalized, (int* flag))
IMBREX_MPI(int, Init, (int* argc, char*** argv))
IMBREX_MPI(int, Init_thread, (int* argc, char*** argv, int required, int* provided))
IMBREX_MPI(int, Initialized, (int* flag))
IMBREX_MPI(int, Is_thread_main, (int* flag))
IMBREX_MPI(int, Query_thread, (int* provided))
IMBREX_MPI(int, Get_library_version, (char* version, int* resultlen))
IMBREX_MPI(int, Get_processor_name, (char* name, int* resultlen))
IMBREX_MPI(int, Get_version, (int* version, int* subversion))
IMBREX_MPI(int, Pcontrol, (const int level, ...))
IMBREX_MPI(int, Alloc_mem, (MPI_Aint size, MPI_Info info, void* baseptr))
IMBREX_MPI(int, Free_mem, (void* base))
IMBREX_MPI(double, Wtick, (void))
IMBREX_MPI(double, Wtime, (void))

/* Point to point */
IMBREX_MPI(int, Bsend, (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm))
IMBREX_MPI(int, Bsend_c, (const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
    MPI_Comm comm))
IMBREX_MPI(int, Bsend_init, (const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
    MPI_Comm comm, MPI_Request* request))
IMBREX_MPI(int, Bsend_init_c, (const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
    MPI_Comm comm, MPI_Request* request))
IMBREX_MPI(int, Buffer_attach, (void* buffer, int size))
IMBREX_MPI(int, Buffer_attach_c, (void* buffer, MPI_Count size))
IMBREX_MPI(int, Buffer_detach, (void* buffer_addr, int* size))
IMBREX_MPI(int, Buffer_detach_c, (void* buffer_addr, MPI_Count* size))
IMBREX_MPI(int, Ibsend, (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
    MPI_Request* request))
IMBREX_MPI(int, Ibsend_c, (const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
    MPI_Comm comm, MPI_Request* request))
IMBREX_MPI(int, Improbe, (int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message,
    MPI_Status* status))
IMBREX_MPI(int, Imrecv, (void* buf, int count, MPI_Datatype datatype, MPI_Message* message,
    MPI_Request* request))
IMBREX_MPI(int, Imrecv_c, (void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Message* message,
    MPI_Request* request))
IMBREX_MPI(int, Iprobe, (int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status))
IMBREX_MPI(int, Irecv, (void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
    MPI_Request* request))
IMBREX_MPI(int, Irecv_c, (void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
    MPI_Comm comm, MPI_Request* request))
IMBREX_MPI(int, Irsend, (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
    MPI_Request* request))
IMBREX_MPI(int, Irsend_c, (const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
    MPI_Comm comm, MPI_Request* request))
IMBREX_MPI(int, Isend, (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
    MPI_Request* request))
IMBREX_MPI(int, Isend_c, (const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
    MPI_Comm comm, MPI_Request* request))
IMBREX_MPI(int, Isendrecv, (const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
    void* recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
    MPI_Request* request))
IMBREX_MPI(int, Isendrecv_c, (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest,
    int sendtag, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag,
    MPI_Comm comm, MPI_Request* request))
IMBREX_MPI(int, Isendrecv_replace, (void* buf, int count, MPI_Datatype datatype, int dest, int sendtag,
    int source, int recvtag, MPI_Comm comm, MPI_Request* request))
IMBREX_MPI(int, Isendrecv_replace_c, (void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
    int sendtag, int source, int recvtag, MPI_Comm comm, MPI_Request* request))
IMBREX_MPI(int, Issend, (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
    MPI_Request* request))
IMBREX_MPI(int, Issend_c, (const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
    MPI_Comm comm, MPI_Request* request))
IMBREX_MPI(int, Mprobe, (int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status))
IMBREX_MPI(int, Mrecv, (void* buf, int count, MPI_Datatype datatype, MPI_Message* message,
    MPI_Status* status))
IMBREX_MPI(int, Mrecv_c, (void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Message* message,
    MPI_Status* status))
IMBREX_MPI(int, Probe, (int source, int tag, MPI_Comm comm, MPI_Status* status))
IMBREX_MPI(int, Recv, (void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
    MPI_Status* status))
IMBREX_MPI(int, Recv_c, (void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
    MPI_Comm comm, MPI_Status* status))
IMBREX_MPI(int, Recv_init, (void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
    MPI_Request* request))
IMBREX_MPI(int, Recv_init_c, (void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
    MPI_Comm comm, MPI_Request* request))
IMBREX_MPI(int, Rsend, (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm))
IMBREX_MPI(int, Rsend_c, (const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
    MPI_Comm comm))
IMBREX_MPI(int, Rsend_init, (const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
    MPI_Comm comm, MPI_Request* request))
IMBREX_MPI(int, Rsend_init_c, (const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
    MPI_Comm comm, MPI_Request* request))
IMBREX_MPI(int, Send, (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm))
IMBREX_MPI(int, Send_c, (const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
    MPI_Comm comm))
IMBREX_MPI(int, Send_init, (const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
    MPI_Comm comm, MPI_Request* request))
IMBREX_MPI(int, Send_init_c, (const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
    MPI_Comm comm, MPI_Request* request))
IMBREX_MPI(int, Sendrecv, (const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
    void* recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
    MPI_Status* status))
IMBREX_MPI(int, Sendrecv_c, (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest,
    int sendtag, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag,
    MPI_Comm comm, MPI_Status* status))
IMBREX_MPI(int, Sendrecv_replace, (void* buf, int count, MPI_Datatype datatype, int dest, int sendtag,
    int source, int recvtag, MPI_Comm comm, MPI_Status* status))
IMBREX_MPI(int, Sendrecv_replace_c, (void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag,
    int source, int recvtag, MPI_Comm comm, MPI_Status* status))
IMBREX_MPI(int, Ssend, (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm))
IMBREX_MPI(int, Ssend_c, (const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
    MPI_Comm comm))
IMBREX_MPI(int, Ssend_init, (const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
    MPI_Comm comm, MPI_Request* request))
IMBREX_MPI(int, Ssend_init_c, (const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
    MPI_Comm comm, MPI_Request* request))

/* Sessions */
IMBREX_MPI(int, Comm_create_from_group, (MPI_Group group, const char* stringtag, MPI_Info info,
    MPI_Errhandler errhandler, MPI_Comm* newcomm))
IMBREX_MPI(int, Group_from_session_pset, (MPI_Session session, const char* pset_name, MPI_Group* newgroup))
IMBREX_MPI(int, Session_call_errhandler, (MPI_Session session, int errorcode))
IMBREX_MPI(int, Session_create_errhandler, (MPI_Session_errhandler_function* session_errhandler_fn,
    MPI_Errhandler* errhandler))
IMBREX_MPI(int, Session_finalize, (MPI_Session* session))
IMBREX_MPI(int, Session_get_errhandler, (MPI_Session session, MPI_Errhandler* errhandler))
IMBREX_MPI(int, Session_get_info, (MPI_Session session, MPI_Info* info_used))
IMBREX_MPI(int, Session_get_nth_pset, (MPI_Session session, MPI_Info info, int n, int* pset_len,
    char* pset_name))
IMBREX_MPI(int, Session_get_num_psets, (MPI_Session session, MPI_Info info, int* npset_names))
IMBREX_MPI(int, Session_get_pset_info, (MPI_Session session, const char* pset_name, MPI_Info* info))
IMBREX_MPI(int, Session_init, (MPI_Info info, MPI_Errhandler errhandler, MPI_Session* session))
IMBREX_MPI(int, Session_set_errhandler, (MPI_Session session, MPI_Errhandler errhandler))

/* Partitioned communication */
IMBREX_MPI(int, Parrived, (MPI_Request request, int partition, int* flag))
IMBREX_MPI(int, Pready, (int partition, MPI_Request request))
IMBREX_MPI(int, Pready_list, (int length, const int array_of_partitions[], MPI_Request request))
IMBREX_MPI(int, Pready_range, (int partition_low, int partition_high, MPI_Request request))
IMBREX_MPI(int, Precv_init, (void* buf, int partitions, MPI_Count count, MPI_Datatype datatype, int source,
    int tag, MPI_Comm comm, MPI_Info info, MPI_Request* request))
IMBREX_MPI(int, Psend_init, (const void* buf, int partitions, MPI_Count count, MPI_Datatype datatype, int dest,
    int tag, MPI_Comm comm, MPI_Info info, MPI_Request* request))

/* Requests and statuses */
IMBREX_MPI(int, Status_c2f, (const MPI_Status* c_status, MPI_Fint* f_status))
IMBREX_MPI(int, Status_f2c, (const MPI_Fint* f_status, MPI_Status* c_status))
IMBREX_MPI(int, Status_f082c, (const MPI_F08_status* f08_status, MPI_Status* c_status))
IMBREX_MPI(int, Status_c2f08, (const MPI_Status* c_status, MPI_F08_status* f08_status))
IMBREX_MPI(int, Status_f082f, (const MPI_F08_status* f08_status, MPI_Fint* f_status))
IMBREX_MPI(int, Status_f2f08, (const MPI_Fint* f_status, MPI_F08_status* f08_status))
IMBREX_MPI(int, Get_count, (const MPI_Status* status, MPI_Datatype datatype, int* count))
IMBREX_MPI(int, Get_count_c, (const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count))
IMBREX_MPI(int, Get_elements, (const MPI_Status* status, MPI_Datatype datatype, int* count))
IMBREX_MPI(int, Get_elements_c, (const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count))
IMBREX_MPI(int, Get_elements_x, (const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count))
IMBREX_MPI(int, Status_set_elements, (MPI_Status* status, MPI_Datatype datatype, int count))
IMBREX_MPI(int, Status_set_elements_x, (MPI_Status* status, MPI_Datatype datatype, MPI_Count count))
IMBREX_MPI(int, Cancel, (MPI_Request* request))
IMBREX_MPI(int, Grequest_complete, (MPI_Request request))
IMBREX_MPI(int, Grequest_start, (MPI_Grequest_query_function* query_fn, MPI_Grequest_free_function* free_fn,
    MPI_Grequest_cancel_function* cancel_fn, void* extra_state, MPI_Request* request))
IMBREX_MPI(int, Request_free, (MPI_Request* request))
IMBREX_MPI(int, Request_get_status, (MPI_Request request, int* flag, MPI_Status* status))
IMBREX_MPI(int, Start, (MPI_Request* request))
IMBREX_MPI(int, Startall, (int count, MPI_Request array_of_requests[]))
IMBREX_MPI(int, Status_set_cancelled, (MPI_Status* status, int flag))
IMBREX_MPI(int, Test, (MPI_Request* request, int* flag, MPI_Status* status))
IMBREX_MPI(int, Test_cancelled, (const MPI_Status* status, int* flag))
IMBREX_MPI(int, Testall, (int count, MPI_Request array_of_requests[], int* flag,
    MPI_Status* array_of_statuses))
IMBREX_MPI(int, Testany, (int count, MPI_Request array_of_requests[], int* indx, int* flag,
    MPI_Status* status))
IMBREX_MPI(int, Testsome, (int incount, MPI_Request array_of_requests[], int* outcount,
    int array_of_indices[], MPI_Status* array_of_statuses))
IMBREX_MPI(int, Wait, (MPI_Request* request, MPI_Status* status))
IMBREX_MPI(int, Waitall, (int count, MPI_Request array_of_requests[], MPI_Status* array_of_statuses))
IMBREX_MPI(int, Waitany, (int count, MPI_Request array_of_requests[], int* indx, MPI_Status* status))
IMBREX_MPI(int, Waitsome, (int incount, MPI_Request array_of_requests[], int* outcount,
    int array_of_indices[], MPI_Status* array_of_statuses))

/* Collectives */
IMBREX_MPI(int, Allgather, (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
    int recvcount, MPI_Datatype recvtype, MPI_Comm comm))
IMBREX_MPI(int, Allgather_c, (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
    MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm))
IMBREX_MPI(int, Allgather_init, (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
    int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request))
IMBREX_MPI(int, Allgather_init_c, (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
    void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
    MPI_Request* request))
IMBREX_MPI(int, Allgatherv, (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
    const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm))
IMBREX_MPI(int, Allgatherv_c, (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
    const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm))
IMBREX_MPI(int, Allgatherv_init, (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
    const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
    MPI_Request* request))
IMBREX_MPI(int, Allgatherv_init_c, (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
    void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
    MPI_Comm comm, MPI_Info info, MPI_Request* request))
IMBREX_MPI(int, Allreduce, (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
    MPI_Comm comm))
IMBREX_MPI(int, Allreduce_c, (const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
    MPI_Op op, MPI_Comm comm))
IMBREX_MPI(int, Allreduce_init, (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
    MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request))
IMBREX_MPI(int, Allreduce_init_c, (const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
    MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request))
IMBREX_MPI(int, Alltoall, (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
    int recvcount, MPI_Datatype recvtype, MPI_Comm comm))
IMBREX_MPI(int, Alltoall_c, (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
    MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm))
IMBREX_MPI(int, Alltoall_init, (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
    int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request))
IMBREX_MPI(int, Alltoall_init_c, (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
    void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
    MPI_Request* request))
IMBREX_MPI(int, Alltoallv, (const void* sendbuf, const int sendcounts[], const int sdispls[],
    MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
    MPI_Comm comm))
IMBREX_MPI(int, Alltoallv_c, (const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
    MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[],
    MPI_Datatype recvtype, MPI_Comm comm))
IMBREX_MPI(int, Alltoallv_init, (const void* sendbuf, const int sendcounts[], const int sdispls[],
    MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
    MPI_Comm comm, MPI_Info info, MPI_Request* request))
IMBREX_MPI(int, Alltoallv_init_c, (const void* sendbuf, const MPI_Count sendcounts[],
    const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
    const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request))
IMBREX_MPI(int, Alltoallw, (const void* sendbuf, const int sendcounts[], const int sdispls[],
    const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const int rdispls[],
    const MPI_Datatype recvtypes[], MPI_Comm comm))
IMBREX_MPI(int, Alltoallw_c, (const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
    const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[],
    const MPI_Datatype recvtypes[], MPI_Comm comm))
IMBREX_MPI(int, Alltoallw_init, (const void* sendbuf, const int sendcounts[], const int sdispls[],
    const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const int rdispls[],
    const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info, MPI_Request* request))
IMBREX_MPI(int, Alltoallw_init_c, (const void* sendbuf, const MPI_Count sendcounts[],
    const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
    const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info,
    MPI_Request* request))
IMBREX_MPI(int, Barrier, (MPI_Comm comm))
IMBREX_MPI(int, Barrier_init, (MPI_Comm comm, MPI_Info info, MPI_Request* request))
IMBREX_MPI(int, Bcast, (void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm))
IMBREX_MPI(int, Bcast_c, (void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm))
IMBREX_MPI(int, Bcast_init, (void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
    MPI_Info info, MPI_Request* request))
IMBREX_MPI(int, Bcast_init_c, (void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm,
    MPI_Info info, MPI_Request* request))
IMBREX_MPI(int, Exscan, (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
    MPI_Comm comm))
IMBREX_MPI(int, Exscan_c, (const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
    MPI_Op op, MPI_Comm comm))
IMBREX_MPI(int, Exscan_init, (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
    MPI_Comm comm, MPI_Info info, MPI_Request* request))
IMBREX_MPI(int, Exscan_init_c, (const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
    MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request))
IMBREX_MPI(int, Gather, (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
    int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm))
IMBREX_MPI(int, Gather_c, (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
    MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm))
IMBREX_MPI(int, Gather_init, (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
    int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request* request))
IMBREX_MPI(int, Gather_init_c, (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
    void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
    MPI_Request* request))
IMBREX_MPI(int, Gatherv, (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
    const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm))
IMBREX_MPI(int, Gatherv_c, (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
    const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, int root, MPI_Comm comm))
IMBREX_MPI(int, Gatherv_init, (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
    const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
    MPI_Request* request))
IMBREX_MPI(int, Gatherv_init_c, (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
    void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, int root,
    MPI_Comm comm, MPI_Info info, MPI_Request* request))
IMBREX_MPI(int, Iallgather, (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
    int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request))
IMBREX_MPI(int, Iallgather_c, (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
    MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request))
IMBREX_MPI(int, Iallgatherv, (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
    const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request))
IMBREX_MPI(int, Iallgatherv_c, (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
    void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
    MPI_Comm comm, MPI_Request* request))
IMBREX_MPI(int, Iallreduce, (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
    MPI_Comm comm, MPI_Request* request))
IMBREX_MPI(int, Iallreduce_c, (const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
    MPI_Op op, MPI_Comm comm, MPI_Request* request))
IMBREX_MPI(int, Ialltoall, (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
    int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request))
IMBREX_MPI(int, Ialltoall_c, (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
    MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request))
IMBREX_MPI(int, Ialltoallv, (const void* sendbuf, const int sendcounts[], const int sdispls[],
    MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
    MPI_Comm comm, MPI_Request* request))
IMBREX_MPI(int, Ialltoallv_c, (const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
    MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[],
    MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request))
IMBREX_MPI(int, Ialltoallw, (const void* sendbuf, const int sendcounts[], const int sdispls[],
    const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const int rdispls[],
    const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request* request))
IMBREX_MPI(int, Ialltoallw_c, (const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
    const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[],
    const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request* request))
IMBREX_MPI(int, Ibarrier, (MPI_Comm comm, MPI_Request* request))
IMBREX_MPI(int, Ibcast, (void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
    MPI_Request* request))
IMBREX_MPI(int, Ibcast_c, (void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm,
    MPI_Request* request))
IMBREX_MPI(int, Iexscan, (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
    MPI_Comm comm, MPI_Request* request))
IMBREX_MPI(int, Iexscan_c, (const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
    MPI_Op op, MPI_Comm comm, MPI_Request* request))
IMBREX_MPI(int, Igather, (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
    int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request))
IMBREX_MPI(int, Igather_c, (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
    MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request))
IMBREX_MPI(int, Igatherv, (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
    const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm,
    MPI_Request* request))
IMBREX_MPI(int, Igatherv_c, (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
    const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, int root, MPI_Comm comm,
    MPI_Request* request))
IMBREX_MPI(int, Ineighbor_allgather, (const void* sendbuf, int sendcount, MPI_Datatype sendtype,
    void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request))
IMBREX_MPI(int, Ineighbor_allgather_c, (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
    void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request))
IMBREX_MPI(int, Ineighbor_allgatherv, (const void* sendbuf, int sendcount, MPI_Datatype sendtype,
    void* recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
    MPI_Request* request))
IMBREX_MPI(int, Ineighbor_allgatherv_c, (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
    void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
    MPI_Comm comm, MPI_Request* request))
IMBREX_MPI(int, Ineighbor_alltoall, (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
    int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request))
IMBREX_MPI(int, Ineighbor_alltoall_c, (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
    void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request))
IMBREX_MPI(int, Ineighbor_alltoallv, (const void* sendbuf, const int sendcounts[], const int sdispls[],
    MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
    MPI_Comm comm, MPI_Request* request))
IMBREX_MPI(int, Ineighbor_alltoallv_c, (const void* sendbuf, const MPI_Count sendcounts[],
    const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
    const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request))
IMBREX_MPI(int, Ineighbor_alltoallw, (const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
    const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const MPI_Aint rdispls[],
    const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request* request))
IMBREX_MPI(int, Ineighbor_alltoallw_c, (const void* sendbuf, const MPI_Count sendcounts[],
    const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
    const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request* request))
IMBREX_MPI(int, Ireduce, (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
    int root, MPI_Comm comm, MPI_Request* request))
IMBREX_MPI(int, Ireduce_c, (const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
    MPI_Op op, int root, MPI_Comm comm, MPI_Request* request))
IMBREX_MPI(int, Ireduce_scatter, (const void* sendbuf, void* recvbuf, const int recvcounts[],
    MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request* request))
IMBREX_MPI(int, Ireduce_scatter_c, (const void* sendbuf, void* recvbuf, const MPI_Count recvcounts[],
    MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request* request))
IMBREX_MPI(int, Ireduce_scatter_block, (const void* sendbuf, void* recvbuf, int recvcount,
    MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request* request))
IMBREX_MPI(int, Ireduce_scatter_block_c, (const void* sendbuf, void* recvbuf, MPI_Count recvcount,
    MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request* request))
IMBREX_MPI(int, Iscan, (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
    MPI_Comm comm, MPI_Request* request))
IMBREX_MPI(int, Iscan_c, (const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
    MPI_Op op, MPI_Comm comm, MPI_Request* request))
IMBREX_MPI(int, Iscatter, (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
    int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request))
IMBREX_MPI(int, Iscatter_c, (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
    MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request))
IMBREX_MPI(int, Iscatterv, (const void* sendbuf, const int sendcounts[], const int displs[],
    MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
    MPI_Request* request))
IMBREX_MPI(int, Iscatterv_c, (const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[],
    MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
    MPI_Request* request))
IMBREX_MPI(int, Neighbor_allgather, (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
    int recvcount, MPI_Datatype recvtype, MPI_Comm comm))
IMBREX_MPI(int, Neighbor_allgather_c, (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
    void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm))
IMBREX_MPI(int, Neighbor_allgather_init, (const void* sendbuf, int sendcount, MPI_Datatype sendtype,
    void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request))
IMBREX_MPI(int, Neighbor_allgather_init_c, (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
    void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
    MPI_Request* request))
IMBREX_MPI(int, Neighbor_allgatherv, (const void* sendbuf, int sendcount, MPI_Datatype sendtype,
    void* recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm))
IMBREX_MPI(int, Neighbor_allgatherv_c, (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
    void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
    MPI_Comm comm))
IMBREX_MPI(int, Neighbor_allgatherv_init, (const void* sendbuf, int sendcount, MPI_Datatype sendtype,
    void* recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
    MPI_Info info, MPI_Request* request))
IMBREX_MPI(int, Neighbor_allgatherv_init_c, (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
    void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
    MPI_Comm comm, MPI_Info info, MPI_Request* request))
IMBREX_MPI(int, Neighbor_alltoall, (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
    int recvcount, MPI_Datatype recvtype, MPI_Comm comm))
IMBREX_MPI(int, Neighbor_alltoall_c, (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
    void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm))
IMBREX_MPI(int, Neighbor_alltoall_init, (const void* sendbuf, int sendcount, MPI_Datatype sendtype,
    void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request))
IMBREX_MPI(int, Neighbor_alltoall_init_c, (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
    void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
    MPI_Request* request))
IMBREX_MPI(int, Neighbor_alltoallv, (const void* sendbuf, const int sendcounts[], const int sdispls[],
    MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
    MPI_Comm comm))
IMBREX_MPI(int, Neighbor_alltoallv_c, (const void* sendbuf, const MPI_Count sendcounts[],
    const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
    const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm))
IMBREX_MPI(int, Neighbor_alltoallv_init, (const void* sendbuf, const int sendcounts[], const int sdispls[],
    MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
    MPI_Comm comm, MPI_Info info, MPI_Request* request))
IMBREX_MPI(int, Neighbor_alltoallv_init_c, (const void* sendbuf, const MPI_Count sendcounts[],
    const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
    const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request))
IMBREX_MPI(int, Neighbor_alltoallw, (const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
    const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const MPI_Aint rdispls[],
    const MPI_Datatype recvtypes[], MPI_Comm comm))
IMBREX_MPI(int, Neighbor_alltoallw_c, (const void* sendbuf, const MPI_Count sendcounts[],
    const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
    const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm))
IMBREX_MPI(int, Neighbor_alltoallw_init, (const void* sendbuf, const int sendcounts[],
    const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
    const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info,
    MPI_Request* request))
IMBREX_MPI(int, Neighbor_alltoallw_init_c, (const void* sendbuf, const MPI_Count sendcounts[],
    const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
    const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info,
    MPI_Request* request))
IMBREX_MPI(int, Reduce, (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
    int root, MPI_Comm comm))
IMBREX_MPI(int, Reduce_c, (const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
    MPI_Op op, int root, MPI_Comm comm))
IMBREX_MPI(int, Reduce_init, (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
    int root, MPI_Comm comm, MPI_Info info, MPI_Request* request))
IMBREX_MPI(int, Reduce_init_c, (const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
    MPI_Op op, int root, MPI_Comm comm, MPI_Info info, MPI_Request* request))
IMBREX_MPI(int, Reduce_scatter, (const void* sendbuf, void* recvbuf, const int recvcounts[],
    MPI_Datatype datatype, MPI_Op op, MPI_Comm comm))
IMBREX_MPI(int, Reduce_scatter_c, (const void* sendbuf, void* recvbuf, const MPI_Count recvcounts[],
    MPI_Datatype datatype, MPI_Op op, MPI_Comm comm))
IMBREX_MPI(int, Reduce_scatter_block, (const void* sendbuf, void* recvbuf, int recvcount,
    MPI_Datatype datatype, MPI_Op op, MPI_Comm comm))
IMBREX_MPI(int, Reduce_scatter_block_c, (const void* sendbuf, void* recvbuf, MPI_Count recvcount,
    MPI_Datatype datatype, MPI_Op op, MPI_Comm comm))
IMBREX_MPI(int, Reduce_scatter_block_init, (const void* sendbuf, void* recvbuf, int recvcount,
    MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request))
IMBREX_MPI(int, Reduce_scatter_block_init_c, (const void* sendbuf, void* recvbuf, MPI_Count recvcount,
    MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request))
IMBREX_MPI(int, Reduce_scatter_init, (const void* sendbuf, void* recvbuf, const int recvcounts[],
    MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request))
IMBREX_MPI(int, Reduce_scatter_init_c, (const void* sendbuf, void* recvbuf, const MPI_Count recvcounts[],
    MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request))
IMBREX_MPI(int, Scan, (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
    MPI_Comm comm))
IMBREX_MPI(int, Scan_c, (const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
    MPI_Op op, MPI_Comm comm))
IMBREX_MPI(int, Scan_init, (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
    MPI_Comm comm, MPI_Info info, MPI_Request* request))
IMBREX_MPI(int, Scan_init_c, (const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
    MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request))
IMBREX_MPI(int, Scatter, (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
    int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm))
IMBREX_MPI(int, Scatter_c, (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
    MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm))
IMBREX_MPI(int, Scatter_init, (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
    int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request* request))
IMBREX_MPI(int, Scatter_init_c, (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
    void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
    MPI_Request* request))
IMBREX_MPI(int, Scatterv, (const void* sendbuf, const int sendcounts[], const int displs[],
    MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm))
IMBREX_MPI(int, Scatterv_c, (const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[],
    MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
    MPI_Comm comm))
IMBREX_MPI(int, Scatterv_init, (const void* sendbuf, const int sendcounts[], const int displs[],
    MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
    MPI_Info info, MPI_Request* request))
IMBREX_MPI(int, Scatterv_init_c, (const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[],
    MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
    MPI_Info info, MPI_Request* request))

/* Operations */
IMBREX_MPI(int, Reduce_local, (const void* inbuf, void* inoutbuf, int count, MPI_Datatype datatype,
    MPI_Op op))
IMBREX_MPI(int, Reduce_local_c, (const void* inbuf, void* inoutbuf, MPI_Count count, MPI_Datatype datatype,
    MPI_Op op))
IMBREX_MPI(int, Op_commutative, (MPI_Op op, int* commute))
IMBREX_MPI(int, Op_create, (MPI_User_function* user_fn, int commute, MPI_Op* op))
IMBREX_MPI(int, Op_create_c, (MPI_User_function_c* user_fn, int commute, MPI_Op* op))
IMBREX_MPI(int, Op_free, (MPI_Op* op))

/* Datatypes */
IMBREX_MPI(int, Type_create_f90_integer, (int r, MPI_Datatype* newtype))
IMBREX_MPI(int, Type_create_f90_real, (int p, int r, MPI_Datatype* newtype))
IMBREX_MPI(int, Type_create_f90_complex, (int p, int r, MPI_Datatype* newtype))
IMBREX_MPI(int, Get_address, (const void* location, MPI_Aint* address))
IMBREX_MPI(int, Pack, (const void* inbuf, int incount, MPI_Datatype datatype, void* outbuf, int outsize,
    int* position, MPI_Comm comm))
IMBREX_MPI(int, Pack_c, (const void* inbuf, MPI_Count incount, MPI_Datatype datatype, void* outbuf,
    MPI_Count outsize, MPI_Count* position, MPI_Comm comm))
IMBREX_MPI(int, Pack_external, (const char* datarep, const void* inbuf, int incount, MPI_Datatype datatype,
    void* outbuf, MPI_Aint outsize, MPI_Aint* position))
IMBREX_MPI(int, Pack_external_c, (const char* datarep, const void* inbuf, MPI_Count incount,
    MPI_Datatype datatype, void* outbuf, MPI_Count outsize, MPI_Count* position))
IMBREX_MPI(int, Pack_external_size, (const char* datarep, int incount, MPI_Datatype datatype, MPI_Aint* size))
IMBREX_MPI(int, Pack_external_size_c, (const char* datarep, MPI_Count incount, MPI_Datatype datatype,
    MPI_Count* size))
IMBREX_MPI(int, Pack_size, (int incount, MPI_Datatype datatype, MPI_Comm comm, int* size))
IMBREX_MPI(int, Pack_size_c, (MPI_Count incount, MPI_Datatype datatype, MPI_Comm comm, MPI_Count* size))
IMBREX_MPI(int, Type_commit, (MPI_Datatype* datatype))
IMBREX_MPI(int, Type_contiguous, (int count, MPI_Datatype oldtype, MPI_Datatype* newtype))
IMBREX_MPI(int, Type_contiguous_c, (MPI_Count count, MPI_Datatype oldtype, MPI_Datatype* newtype))
IMBREX_MPI(int, Type_create_darray, (int size, int rank, int ndims, const int array_of_gsizes[],
    const int array_of_distribs[], const int array_of_dargs[], const int array_of_psizes[], int order,
    MPI_Datatype oldtype, MPI_Datatype* newtype))
IMBREX_MPI(int, Type_create_darray_c, (int size, int rank, int ndims, const MPI_Count array_of_gsizes[],
    const int array_of_distribs[], const int array_of_dargs[], const int array_of_psizes[], int order,
    MPI_Datatype oldtype, MPI_Datatype* newtype))
IMBREX_MPI(int, Type_create_hindexed, (int count, const int array_of_blocklengths[],
    const MPI_Aint array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype* newtype))
IMBREX_MPI(int, Type_create_hindexed_c, (MPI_Count count, const MPI_Count array_of_blocklengths[],
    const MPI_Count array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype* newtype))
IMBREX_MPI(int, Type_create_hindexed_block, (int count, int blocklength,
    const MPI_Aint array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype* newtype))
IMBREX_MPI(int, Type_create_hindexed_block_c, (MPI_Count count, MPI_Count blocklength,
    const MPI_Count array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype* newtype))
IMBREX_MPI(int, Type_create_hvector, (int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype,
    MPI_Datatype* newtype))
IMBREX_MPI(int, Type_create_hvector_c, (MPI_Count count, MPI_Count blocklength, MPI_Count stride,
    MPI_Datatype oldtype, MPI_Datatype* newtype))
IMBREX_MPI(int, Type_create_indexed_block, (int count, int blocklength, const int array_of_displacements[],
    MPI_Datatype oldtype, MPI_Datatype* newtype))
IMBREX_MPI(int, Type_create_indexed_block_c, (MPI_Count count, MPI_Count blocklength,
    const MPI_Count array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype* newtype))
IMBREX_MPI(int, Type_create_resized, (MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent,
    MPI_Datatype* newtype))
IMBREX_MPI(int, Type_create_resized_c, (MPI_Datatype oldtype, MPI_Count lb, MPI_Count extent,
    MPI_Datatype* newtype))
IMBREX_MPI(int, Type_create_struct, (int count, const int array_of_blocklengths[],
    const MPI_Aint array_of_displacements[], const MPI_Datatype array_of_types[], MPI_Datatype* newtype))
IMBREX_MPI(int, Type_create_struct_c, (MPI_Count count, const MPI_Count array_of_blocklengths[],
    const MPI_Count array_of_displacements[], const MPI_Datatype array_of_types[], MPI_Datatype* newtype))
IMBREX_MPI(int, Type_create_subarray, (int ndims, const int array_of_sizes[], const int array_of_subsizes[],
    const int array_of_starts[], int order, MPI_Datatype oldtype, MPI_Datatype* newtype))
IMBREX_MPI(int, Type_create_subarray_c, (int ndims, const MPI_Count array_of_sizes[],
    const MPI_Count array_of_subsizes[], const MPI_Count array_of_starts[], int order, MPI_Datatype oldtype,
    MPI_Datatype* newtype))
IMBREX_MPI(int, Type_dup, (MPI_Datatype oldtype, MPI_Datatype* newtype))
IMBREX_MPI(int, Type_free, (MPI_Datatype* datatype))
IMBREX_MPI(int, Type_get_contents, (MPI_Datatype datatype, int max_integers, int max_addresses,
    int max_datatypes, int array_of_integers[], MPI_Aint array_of_addresses[],
    MPI_Datatype array_of_datatypes[]))
IMBREX_MPI(int, Type_get_contents_c, (MPI_Datatype datatype, MPI_Count max_integers, MPI_Count max_addresses,
    MPI_Count max_large_counts, MPI_Count max_datatypes, int array_of_integers[],
    MPI_Aint array_of_addresses[], MPI_Count array_of_large_counts[], MPI_Datatype array_of_datatypes[]))
IMBREX_MPI(int, Type_get_envelope, (MPI_Datatype datatype, int* num_integers, int* num_addresses,
    int* num_datatypes, int* combiner))
IMBREX_MPI(int, Type_get_envelope_c, (MPI_Datatype datatype, MPI_Count* num_integers,
    MPI_Count* num_addresses, MPI_Count* num_large_counts, MPI_Count* num_datatypes, int* combiner))
IMBREX_MPI(int, Type_get_extent, (MPI_Datatype datatype, MPI_Aint* lb, MPI_Aint* extent))
IMBREX_MPI(int, Type_get_extent_c, (MPI_Datatype datatype, MPI_Count* lb, MPI_Count* extent))
IMBREX_MPI(int, Type_get_extent_x, (MPI_Datatype datatype, MPI_Count* lb, MPI_Count* extent))
IMBREX_MPI(int, Type_get_name, (MPI_Datatype datatype, char* type_name, int* resultlen))
IMBREX_MPI(int, Type_get_true_extent, (MPI_Datatype datatype, MPI_Aint* true_lb, MPI_Aint* true_extent))
IMBREX_MPI(int, Type_get_true_extent_c, (MPI_Datatype datatype, MPI_Count* true_lb, MPI_Count* true_extent))
IMBREX_MPI(int, Type_get_true_extent_x, (MPI_Datatype datatype, MPI_Count* true_lb, MPI_Count* true_extent))
IMBREX_MPI(int, Type_indexed, (int count, const int array_of_blocklengths[],
    const int array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype* newtype))
IMBREX_MPI(int, Type_indexed_c, (MPI_Count count, const MPI_Count array_of_blocklengths[],
    const MPI_Count array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype* newtype))
IMBREX_MPI(int, Type_match_size, (int typeclass, int size, MPI_Datatype* datatype))
IMBREX_MPI(int, Type_set_name, (MPI_Datatype datatype, const char* type_name))
IMBREX_MPI(int, Type_size, (MPI_Datatype datatype, int* size))
IMBREX_MPI(int, Type_size_c, (MPI_Datatype datatype, MPI_Count* size))
IMBREX_MPI(int, Type_size_x, (MPI_Datatype datatype, MPI_Count* size))
IMBREX_MPI(int, Type_vector, (int count, int blocklength, int stride, MPI_Datatype oldtype,
    MPI_Datatype* newtype))
IMBREX_MPI(int, Type_vector_c, (MPI_Count count, MPI_Count blocklength, MPI_Count stride,
    MPI_Datatype oldtype, MPI_Datatype* newtype))
IMBREX_MPI(int, Unpack, (const void* inbuf, int insize, int* position, void* outbuf, int outcount,
    MPI_Datatype datatype, MPI_Comm comm))
IMBREX_MPI(int, Unpack_c, (const void* inbuf, MPI_Count insize, MPI_Count* position, void* outbuf,
    MPI_Count outcount, MPI_Datatype datatype, MPI_Comm comm))
IMBREX_MPI(int, Unpack_external, (const char datarep[], const void* inbuf, MPI_Aint insize,
    MPI_Aint* position, void* outbuf, int outcount, MPI_Datatype datatype))
IMBREX_MPI(int, Unpack_external_c, (const char datarep[], const void* inbuf, MPI_Count insize,
    MPI_Count* position, void* outbuf, MPI_Count outcount, MPI_Datatype datatype))
IMBREX_MPI(MPI_Aint, Aint_add, (MPI_Aint base, MPI_Aint disp))
IMBREX_MPI(MPI_Aint, Aint_diff, (MPI_Aint addr1, MPI_Aint addr2))

/* Groups */
IMBREX_MPI(int, Group_compare, (MPI_Group group1, MPI_Group group2, int* result))
IMBREX_MPI(int, Group_difference, (MPI_Group group1, MPI_Group group2, MPI_Group* newgroup))
IMBREX_MPI(int, Group_excl, (MPI_Group group, int n, const int ranks[], MPI_Group* newgroup))
IMBREX_MPI(int, Group_free, (MPI_Group* group))
IMBREX_MPI(int, Group_incl, (MPI_Group group, int n, const int ranks[], MPI_Group* newgroup))
IMBREX_MPI(int, Group_intersection, (MPI_Group group1, MPI_Group group2, MPI_Group* newgroup))
IMBREX_MPI(int, Group_range_excl, (MPI_Group group, int n, int ranges[][3], MPI_Group* newgroup))
IMBREX_MPI(int, Group_range_incl, (MPI_Group group, int n, int ranges[][3], MPI_Group* newgroup))
IMBREX_MPI(int, Group_rank, (MPI_Group group, int* rank))
IMBREX_MPI(int, Group_size, (MPI_Group group, int* size))
IMBREX_MPI(int, Group_translate_ranks, (MPI_Group group1, int n, const int ranks1[], MPI_Group group2,
    int ranks2[]))
IMBREX_MPI(int, Group_union, (MPI_Group group1, MPI_Group group2, MPI_Group* newgroup))

/* Topologies */
IMBREX_MPI(int, Cart_coords, (MPI_Comm comm, int rank, int maxdims, int coords[]))
IMBREX_MPI(int, Cart_create, (MPI_Comm comm_old, int ndims, const int dims[], const int periods[],
    int reorder, MPI_Comm* comm_cart))
IMBREX_MPI(int, Cart_get, (MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[]))
IMBREX_MPI(int, Cart_map, (MPI_Comm comm, int ndims, const int dims[], const int periods[], int* newrank))
IMBREX_MPI(int, Cart_rank, (MPI_Comm comm, const int coords[], int* rank))
IMBREX_MPI(int, Cart_shift, (MPI_Comm comm, int direction, int disp, int* rank_source, int* rank_dest))
IMBREX_MPI(int, Cart_sub, (MPI_Comm comm, const int remain_dims[], MPI_Comm* newcomm))
IMBREX_MPI(int, Cartdim_get, (MPI_Comm comm, int* ndims))
IMBREX_MPI(int, Dims_create, (int nnodes, int ndims, int dims[]))
IMBREX_MPI(int, Dist_graph_create, (MPI_Comm comm_old, int n, const int sources[], const int degrees[],
    const int destinations[], const int weights[], MPI_Info info, int reorder, MPI_Comm* comm_dist_graph))
IMBREX_MPI(int, Dist_graph_create_adjacent, (MPI_Comm comm_old, int indegree, const int sources[],
    const int sourceweights[], int outdegree, const int destinations[], const int destweights[],
    MPI_Info info, int reorder, MPI_Comm* comm_dist_graph))
IMBREX_MPI(int, Dist_graph_neighbors, (MPI_Comm comm, int maxindegree, int sources[], int sourceweights[],
    int maxoutdegree, int destinations[], int destweights[]))
IMBREX_MPI(int, Dist_graph_neighbors_count, (MPI_Comm comm, int* indegree, int* outdegree, int* weighted))
IMBREX_MPI(int, Graph_create, (MPI_Comm comm_old, int nnodes, const int indx[], const int edges[],
    int reorder, MPI_Comm* comm_graph))
IMBREX_MPI(int, Graph_get, (MPI_Comm comm, int maxindex, int maxedges, int indx[], int edges[]))
IMBREX_MPI(int, Graph_map, (MPI_Comm comm, int nnodes, const int indx[], const int edges[], int* newrank))
IMBREX_MPI(int, Graph_neighbors, (MPI_Comm comm, int rank, int maxneighbors, int neighbors[]))
IMBREX_MPI(int, Graph_neighbors_count, (MPI_Comm comm, int rank, int* nneighbors))
IMBREX_MPI(int, Graphdims_get, (MPI_Comm comm, int* nnodes, int* nedges))
IMBREX_MPI(int, Topo_test, (MPI_Comm comm, int* status))

/* Attributes */
IMBREX_MPI(int, Comm_create_keyval, (MPI_Comm_copy_attr_function* comm_copy_attr_fn,
    MPI_Comm_delete_attr_function* comm_delete_attr_fn, int* comm_keyval, void* extra_state))
IMBREX_MPI(int, Comm_delete_attr, (MPI_Comm comm, int comm_keyval))
IMBREX_MPI(int, Comm_free_keyval, (int* comm_keyval))
IMBREX_MPI(int, Comm_get_attr, (MPI_Comm comm, int comm_keyval, void* attribute_val, int* flag))
IMBREX_MPI(int, Comm_set_attr, (MPI_Comm comm, int comm_keyval, void* attribute_val))
IMBREX_MPI(int, Type_create_keyval, (MPI_Type_copy_attr_function* type_copy_attr_fn,
    MPI_Type_delete_attr_function* type_delete_attr_fn, int* type_keyval, void* extra_state))
IMBREX_MPI(int, Type_delete_attr, (MPI_Datatype datatype, int type_keyval))
IMBREX_MPI(int, Type_free_keyval, (int* type_keyval))
IMBREX_MPI(int, Type_get_attr, (MPI_Datatype datatype, int type_keyval, void* attribute_val, int* flag))
IMBREX_MPI(int, Type_set_attr, (MPI_Datatype datatype, int type_keyval, void* attribute_val))
IMBREX_MPI(int, Win_create_keyval, (MPI_Win_copy_attr_function* win_copy_attr_fn,
    MPI_Win_delete_attr_function* win_delete_attr_fn, int* win_keyval, void* extra_state))
IMBREX_MPI(int, Win_delete_attr, (MPI_Win win, int win_keyval))
IMBREX_MPI(int, Win_free_keyval, (int* win_keyval))
IMBREX_MPI(int, Win_get_attr, (MPI_Win win, int win_keyval, void* attribute_val, int* flag))
IMBREX_MPI(int, Win_set_attr, (MPI_Win win, int win_keyval, void* attribute_val))

/* Error handlers, classes and codes */
IMBREX_MPI(int, Add_error_class, (int* errorclass))
IMBREX_MPI(int, Add_error_code, (int errorclass, int* errorcode))
IMBREX_MPI(int, Add_error_string, (int errorcode, const char* string))
IMBREX_MPI(int, Comm_call_errhandler, (MPI_Comm comm, int errorcode))
IMBREX_MPI(int, Comm_create_errhandler, (MPI_Comm_errhandler_function* comm_errhandler_fn,
    MPI_Errhandler* errhandler))
IMBREX_MPI(int, Comm_get_errhandler, (MPI_Comm comm, MPI_Errhandler* errhandler))
IMBREX_MPI(int, Comm_set_errhandler, (MPI_Comm comm, MPI_Errhandler errhandler))
IMBREX_MPI(int, Errhandler_free, (MPI_Errhandler* errhandler))
IMBREX_MPI(int, Error_class, (int errorcode, int* errorclass))
IMBREX_MPI(int, Error_string, (int errorcode, char* string, int* resultlen))
IMBREX_MPI(int, Win_call_errhandler, (MPI_Win win, int errorcode))
IMBREX_MPI(int, Win_create_errhandler, (MPI_Win_errhandler_function* win_errhandler_fn,
    MPI_Errhandler* errhandler))
IMBREX_MPI(int, Win_get_errhandler, (MPI_Win win, MPI_Errhandler* errhandler))
IMBREX_MPI(int, Win_set_errhandler, (MPI_Win win, MPI_Errhandler errhandler))
IMBREX_MPIX(int, Delete_error_class, (int errorclass))
IMBREX_MPIX(int, Delete_error_code, (int errorcode))
IMBREX_MPIX(int, Delete_error_string, (int errorcode))

/* Information */
IMBREX_MPI(int, Info_create, (MPI_Info* info))
IMBREX_MPI(int, Info_create_env, (int argc, char* argv[], MPI_Info* info))
IMBREX_MPI(int, Info_delete, (MPI_Info info, const char* key))
IMBREX_MPI(int, Info_dup, (MPI_Info info, MPI_Info* newinfo))
IMBREX_MPI(int, Info_free, (MPI_Info* info))
IMBREX_MPI(int, Info_get, (MPI_Info info, const char* key, int valuelen, char* value, int* flag))
IMBREX_MPI(int, Info_get_nkeys, (MPI_Info info, int* nkeys))
IMBREX_MPI(int, Info_get_nthkey, (MPI_Info info, int n, char* key))
IMBREX_MPI(int, Info_get_string, (MPI_Info info, const char* key, int* buflen, char* value, int* flag))
IMBREX_MPI(int, Info_get_valuelen, (MPI_Info info, const char* key, int* valuelen, int* flag))
IMBREX_MPI(int, Info_set, (MPI_Info info, const char* key, const char* value))

/* Dynamic processes */
IMBREX_MPI(int, Close_port, (const char* port_name))
IMBREX_MPI(int, Comm_accept, (const char* port_name, MPI_Info info, int root, MPI_Comm comm,
    MPI_Comm* newcomm))
IMBREX_MPI(int, Comm_connect, (const char* port_name, MPI_Info info, int root, MPI_Comm comm,
    MPI_Comm* newcomm))
IMBREX_MPI(int, Comm_disconnect, (MPI_Comm* comm))
IMBREX_MPI(int, Comm_get_parent, (MPI_Comm* parent))
IMBREX_MPI(int, Comm_join, (int fd, MPI_Comm* intercomm))
IMBREX_MPI(int, Comm_spawn, (const char* command, char* argv[], int maxprocs, MPI_Info info, int root,
    MPI_Comm comm, MPI_Comm* intercomm, int array_of_errcodes[]))
IMBREX_MPI(int, Comm_spawn_multiple, (int count, char* array_of_commands[], char** array_of_argv[],
    const int array_of_maxprocs[], const MPI_Info array_of_info[], int root, MPI_Comm comm,
    MPI_Comm* intercomm, int array_of_errcodes[]))
IMBREX_MPI(int, Lookup_name, (const char* service_name, MPI_Info info, char* port_name))
IMBREX_MPI(int, Open_port, (MPI_Info info, char* port_name))
IMBREX_MPI(int, Publish_name, (const char* service_name, MPI_Info info, const char* port_name))
IMBREX_MPI(int, Unpublish_name, (const char* service_name, MPI_Info info, const char* port_name))

/* Communicators */
IMBREX_MPI(int, Comm_compare, (MPI_Comm comm1, MPI_Comm comm2, int* result))
IMBREX_MPI(int, Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm))
IMBREX_MPI(int, Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* newcomm))
IMBREX_MPI(int, Comm_dup, (MPI_Comm comm, MPI_Comm* newcomm))
IMBREX_MPI(int, Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm))
IMBREX_MPI(int, Comm_free, (MPI_Comm* comm))
IMBREX_MPI(int, Comm_get_info, (MPI_Comm comm, MPI_Info* info_used))
IMBREX_MPI(int, Comm_get_name, (MPI_Comm comm, char* comm_name, int* resultlen))
IMBREX_MPI(int, Comm_group, (MPI_Comm comm, MPI_Group* group))
IMBREX_MPI(int, Comm_idup, (MPI_Comm comm, MPI_Comm* newcomm, MPI_Request* request))
IMBREX_MPI(int, Comm_idup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm, MPI_Request* request))
IMBREX_MPI(int, Comm_rank, (MPI_Comm comm, int* rank))
IMBREX_MPI(int, Comm_remote_group, (MPI_Comm comm, MPI_Group* group))
IMBREX_MPI(int, Comm_remote_size, (MPI_Comm comm, int* size))
IMBREX_MPI(int, Comm_set_info, (MPI_Comm comm, MPI_Info info))
IMBREX_MPI(int, Comm_set_name, (MPI_Comm comm, const char* comm_name))
IMBREX_MPI(int, Comm_size, (MPI_Comm comm, int* size))
IMBREX_MPI(int, Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm* newcomm))
IMBREX_MPI(int, Comm_split_type, (MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm* newcomm))
IMBREX_MPI(int, Comm_test_inter, (MPI_Comm comm, int* flag))
IMBREX_MPI(int, Intercomm_create, (MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm,
    int remote_leader, int tag, MPI_Comm* newintercomm))
IMBREX_MPI(int, Intercomm_create_from_groups, (MPI_Group local_group, int local_leader,
    MPI_Group remote_group, int remote_leader, const char* stringtag, MPI_Info info,
    MPI_Errhandler errhandler, MPI_Comm* newintercomm))
IMBREX_MPI(int, Intercomm_merge, (MPI_Comm intercomm, int high, MPI_Comm* newintracomm))

/* One-sided */
IMBREX_MPI(int, Accumulate, (const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
    int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op,
    MPI_Win win))
IMBREX_MPI(int, Accumulate_c, (const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
    int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op,
    MPI_Win win))
IMBREX_MPI(int, Compare_and_swap, (const void* origin_addr, const void* compare_addr, void* result_addr,
    MPI_Datatype datatype, int target_rank, MPI_Aint target_disp, MPI_Win win))
IMBREX_MPI(int, Fetch_and_op, (const void* origin_addr, void* result_addr, MPI_Datatype datatype,
    int target_rank, MPI_Aint target_disp, MPI_Op op, MPI_Win win))
IMBREX_MPI(int, Get, (void* origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
    MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win))
IMBREX_MPI(int, Get_c, (void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
    int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win))
IMBREX_MPI(int, Get_accumulate, (const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
    void* result_addr, int result_count, MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp,
    int target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win))
IMBREX_MPI(int, Get_accumulate_c, (const void* origin_addr, MPI_Count origin_count,
    MPI_Datatype origin_datatype, void* result_addr, MPI_Count result_count, MPI_Datatype result_datatype,
    int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op,
    MPI_Win win))
IMBREX_MPI(int, Put, (const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
    int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win))
IMBREX_MPI(int, Put_c, (const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
    int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win))
IMBREX_MPI(int, Raccumulate, (const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
    int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op,
    MPI_Win win, MPI_Request* request))
IMBREX_MPI(int, Raccumulate_c, (const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
    int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op,
    MPI_Win win, MPI_Request* request))
IMBREX_MPI(int, Rget, (void* origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
    MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win, MPI_Request* request))
IMBREX_MPI(int, Rget_c, (void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
    int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win,
    MPI_Request* request))
IMBREX_MPI(int, Rget_accumulate, (const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
    void* result_addr, int result_count, MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp,
    int target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request* request))
IMBREX_MPI(int, Rget_accumulate_c, (const void* origin_addr, MPI_Count origin_count,
    MPI_Datatype origin_datatype, void* result_addr, MPI_Count result_count, MPI_Datatype result_datatype,
    int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op,
    MPI_Win win, MPI_Request* request))
IMBREX_MPI(int, Rput, (const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
    int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win,
    MPI_Request* request))
IMBREX_MPI(int, Rput_c, (const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
    int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win,
    MPI_Request* request))
IMBREX_MPI(int, Win_allocate, (MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void* baseptr,
    MPI_Win* win))
IMBREX_MPI(int, Win_allocate_c, (MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm,
    void* baseptr, MPI_Win* win))
IMBREX_MPI(int, Win_allocate_shared, (MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm,
    void* baseptr, MPI_Win* win))
IMBREX_MPI(int, Win_allocate_shared_c, (MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm,
    void* baseptr, MPI_Win* win))
IMBREX_MPI(int, Win_attach, (MPI_Win win, void* base, MPI_Aint size))
IMBREX_MPI(int, Win_complete, (MPI_Win win))
IMBREX_MPI(int, Win_create, (void* base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm,
    MPI_Win* win))
IMBREX_MPI(int, Win_create_c, (void* base, MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm,
    MPI_Win* win))
IMBREX_MPI(int, Win_create_dynamic, (MPI_Info info, MPI_Comm comm, MPI_Win* win))
IMBREX_MPI(int, Win_detach, (MPI_Win win, const void* base))
IMBREX_MPI(int, Win_fence, (int assert, MPI_Win win))
IMBREX_MPI(int, Win_flush, (int rank, MPI_Win win))
IMBREX_MPI(int, Win_flush_all, (MPI_Win win))
IMBREX_MPI(int, Win_flush_local, (int rank, MPI_Win win))
IMBREX_MPI(int, Win_flush_local_all, (MPI_Win win))
IMBREX_MPI(int, Win_free, (MPI_Win* win))
IMBREX_MPI(int, Win_get_group, (MPI_Win win, MPI_Group* group))
IMBREX_MPI(int, Win_get_info, (MPI_Win win, MPI_Info* info_used))
IMBREX_MPI(int, Win_get_name, (MPI_Win win, char* win_name, int* resultlen))
IMBREX_MPI(int, Win_lock, (int lock_type, int rank, int assert, MPI_Win win))
IMBREX_MPI(int, Win_lock_all, (int assert, MPI_Win win))
IMBREX_MPI(int, Win_post, (MPI_Group group, int assert, MPI_Win win))
IMBREX_MPI(int, Win_set_info, (MPI_Win win, MPI_Info info))
IMBREX_MPI(int, Win_set_name, (MPI_Win win, const char* win_name))
IMBREX_MPI(int, Win_shared_query, (MPI_Win win, int rank, MPI_Aint* size, int* disp_unit, void* baseptr))
IMBREX_MPI(int, Win_shared_query_c, (MPI_Win win, int rank, MPI_Aint* size, MPI_Aint* disp_unit,
    void* baseptr))
IMBREX_MPI(int, Win_start, (MPI_Group group, int assert, MPI_Win win))
IMBREX_MPI(int, Win_sync, (MPI_Win win))
IMBREX_MPI(int, Win_test, (MPI_Win win, int* flag))
IMBREX_MPI(int, Win_unlock, (int rank, MPI_Win win))
IMBREX_MPI(int, Win_unlock_all, (MPI_Win win))
IMBREX_MPI(int, Win_wait, (MPI_Win win))

/* Ranks and devices, no part of MPI */
/* The PE that the calling rank runs on, and the PEs of its process:
 * `count` consecutive ones from `first` on. */
IMBREX_MPIX(int, Get_pe, (int* pe, int* first, int* count))
/* Moves the calling rank to a PE of its process; in a job of `imbrex run --migratable` to any PE.
 * The rank must have no active request. The error says what keeps it in its process. */
IMBREX_MPIX(int, Migrate, (int pe))
/* Writes a checkpoint of all ranks into the folder `dir`; empty, or a null pointer: the folder of `--checkpoint`.
 * All ranks call it, with equal arguments, in a job of `imbrex run --migratable`. On return the checkpoint is whole,
 * or the error says which rank has something that stays in its process. A run that begins from the checkpoint
 * (`--restart`) continues with this return. No rank may have an active request. */
IMBREX_MPIX(int, Checkpoint, (const char* dir))
/* Lets a balancer (`--balance`) move the calling rank, as in AMPI; no rank waits for another.
 * From the first such call on, collectives do so no longer.
 * `hints`: AMPI_INFO_LB_SYNC, AMPI_INFO_LB_ASYNC, or an info with "ampi_load_balance" set to "sync" or "async". */
IMBREX_AMPI(int, Migrate, (MPI_Info hints))
/* The time of the calling rank counts as its load, from its start on, except between stop and start. */
IMBREX_AMPI(int, Load_start_measure, (void))
IMBREX_AMPI(int, Load_stop_measure, (void))
/* Sets the load of the calling rank in seconds, until AMPI_Load_start_measure. */
IMBREX_AMPI(int, Load_set_value, (double value))
IMBREX_MPIX(int, GPU_query_support, (int gpu_type, int* is_supported))
IMBREX_MPIX(int, Query_cuda_support, (void))
/* Allocates memory of the device of the calling rank's PE, for programs without another way to do so, as for emulated
 * devices. The option `--device` gives the run devices. Memory that is not freed ends with the rank. */
IMBREX_MPIX(int, Device_malloc, (MPI_Aint size, void* baseptr))
IMBREX_MPIX(int, Device_free, (void* base))
/* Copies bytes between memory of devices and of the host, in any combination. Returns when the copy is complete;
 * does not wait for kernels. */
IMBREX_MPIX(int, Device_memcpy, (void* to, const void* from, MPI_Aint size))
/* Launches kernel(arguments) on the emulated device, with a copy of `size` bytes, after the rank's earlier launches.
 * Its simulated time is that of reading and writing `bytes` bytes, or of `flops` operations. */
IMBREX_MPIX(int, Device_launch, (void (*kernel)(void* arguments), const void* arguments, int size, double bytes,
    double flops))
/* Waits until all kernels that the rank has launched are complete.
 * Before that, neither copies nor other calls may use their data. */
IMBREX_MPIX(int, Device_synchronize, (void))

/* Removed from MPI, but still called */
IMBREX_MPI(int, Attr_delete, (MPI_Comm comm, int keyval))
IMBREX_MPI(int, Attr_get, (MPI_Comm comm, int keyval, void* attribute_val, int* flag))
IMBREX_MPI(int, Attr_put, (MPI_Comm comm, int keyval, void* attribute_val))
IMBREX_MPI(int, Keyval_create, (MPI_Copy_function* copy_fn, MPI_Delete_function* delete_fn, int* keyval,
    void* extra_state))
IMBREX_MPI(int, Keyval_free, (int* keyval))
IMBREX_MPI(int, Address, (void* location, MPI_Aint* address))
IMBREX_MPI(int, Type_extent, (MPI_Datatype datatype, MPI_Aint* extent))
IMBREX_MPI(int, Type_lb, (MPI_Datatype datatype, MPI_Aint* displacement))
IMBREX_MPI(int, Type_ub, (MPI_Datatype datatype, MPI_Aint* displacement))
IMBREX_MPI(int, Type_hindexed, (int count, int array_of_blocklengths[], MPI_Aint array_of_displacements[],
    MPI_Datatype oldtype, MPI_Datatype* newtype))
IMBREX_MPI(int, Type_hvector, (int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype,
    MPI_Datatype* newtype))
IMBREX_MPI(int, Type_struct, (int count, int array_of_blocklengths[], MPI_Aint array_of_displacements[],
    MPI_Datatype array_of_types[], MPI_Datatype* newtype))
IMBREX_MPI(int, Errhandler_create, (MPI_Comm_errhandler_function* comm_errhandler_fn,
    MPI_Errhandler* errhandler))
IMBREX_MPI(int, Errhandler_get, (MPI_Comm comm, MPI_Errhandler* errhandler))
IMBREX_MPI(int, Errhandler_set, (MPI_Comm comm, MPI_Errhandler errhandler))

#undef IMBREX_AMPI
#undef IMBREX_MPIX
#undef IMBREX_MPI
#undef IMBREX_MPI_PUBLIC

#ifdef __cplusplus
}
#endif

#endif
