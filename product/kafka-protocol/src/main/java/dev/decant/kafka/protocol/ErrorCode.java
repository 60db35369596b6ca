package dev.decant.kafka.protocol;

import java.util.Arrays;
import java.util.List;

/**
 * The error codes of Kafka's protocol guide. Codes below that of {@link #UNKNOWN_SERVER_ERROR} belong to this client:
 * they report errors that no broker has sent, and are never read from the wire.
 */
public enum ErrorCode {
  /** An assignor of this client has failed, or cannot read the data of another member. */
  ASSIGNMENT_FAILED(-4, Kind.FATAL,
      "an assignor of this client has failed, or cannot read what another member has said"),

  /** The application has not polled for max.poll.interval.ms, so the member has left its group until it polls. */
  POLL_INTERVAL_EXCEEDED(-3, Kind.ABORTABLE,
      "the application has not polled for max.poll.interval.ms, so the member has left its group until it polls"),

  /** The producer, consumer or client was closed before there was a response. */
  CLIENT_CLOSED(-2, Kind.NONE, "it was closed before there was a response"),

  /** An error that the broker did not expect, or that this client does not know. */
  UNKNOWN_SERVER_ERROR(-1, Kind.FATAL, "an error that the broker did not expect, or that this client does not know"),

  /** No error. */
  NONE(0, Kind.NONE, "no error"),

  /** The log has no such offset any more, or not yet. */
  OFFSET_OUT_OF_RANGE(1, Kind.ABORTABLE, "the log has no such offset any more, or not yet"),

  /** The batch failed its checksum, or breaks a rule of the topic. */
  CORRUPT_MESSAGE(2, Kind.RETRIABLE, "the batch failed its checksum, or is not formed as the topic demands"),

  /** The broker does not have the topic or partition. */
  UNKNOWN_TOPIC_OR_PARTITION(3, Kind.REFRESH_METADATA, "the broker does not have the topic or partition"),

  /** The size of the fetch is not valid. */
  INVALID_FETCH_SIZE(4, Kind.ABORTABLE, "the size of the fetch is not valid"),

  /** The partition has no leader at present. */
  LEADER_NOT_AVAILABLE(5, Kind.REFRESH_METADATA, "the partition has no leader at present"),

  /** The broker is not, or no longer, the partition's leader or a replica. */
  NOT_LEADER_OR_FOLLOWER(6, Kind.REFRESH_METADATA,
      "the broker is not, or no longer, the partition's leader or a replica"),

  /** The broker's time for the request expired before its conditions were met. */
  REQUEST_TIMED_OUT(7, Kind.RETRIABLE, "the broker gave up waiting for what the request needs"),

  /** The broker is not available. */
  BROKER_NOT_AVAILABLE(8, Kind.ABORTABLE, "the broker is not there"),

  /** The replica is not available. */
  REPLICA_NOT_AVAILABLE(9, Kind.REFRESH_METADATA, "the replica is not there"),

  /** The batch is larger than the topic allows. */
  MESSAGE_TOO_LARGE(10, Kind.ABORTABLE, "the batch is larger than the topic allows"),

  /** Another controller has taken over. */
  STALE_CONTROLLER_EPOCH(11, Kind.ABORTABLE, "another controller has taken over"),

  /** The text committed with the offset is too long. */
  OFFSET_METADATA_TOO_LARGE(12, Kind.ABORTABLE, "the text committed with the offset is too long"),

  /** The connection ended before the response. */
  NETWORK_EXCEPTION(13, Kind.REFRESH_METADATA, "the connection ended before the response"),

  /** The coordinator is still reading its state. */
  COORDINATOR_LOAD_IN_PROGRESS(14, Kind.RETRIABLE, "the coordinator is still reading its state"),

  /** There is no coordinator at present. */
  COORDINATOR_NOT_AVAILABLE(15, Kind.REFRESH_METADATA, "there is no coordinator at present"),

  /** The broker is not, or no longer, the coordinator. */
  NOT_COORDINATOR(16, Kind.REFRESH_METADATA, "the broker is not, or no longer, the coordinator"),

  /** No topic can have that name, or the operation is not allowed on it. */
  INVALID_TOPIC_EXCEPTION(17, Kind.ABORTABLE, "no topic can have that name, or the operation is not allowed on it"),

  /** The batch is larger than a segment of the log. */
  RECORD_LIST_TOO_LARGE(18, Kind.ABORTABLE, "the batch is larger than a segment of the log"),

  /** Too few replicas are in sync; nothing was appended. */
  NOT_ENOUGH_REPLICAS(19, Kind.RETRIABLE, "too few replicas are in sync; nothing was appended"),

  /** The batch was appended, but too few replicas are in sync. */
  NOT_ENOUGH_REPLICAS_AFTER_APPEND(20, Kind.RETRIABLE, "the batch was appended, but too few replicas are in sync"),

  /** The request asks for acknowledgements that do not exist. */
  INVALID_REQUIRED_ACKS(21, Kind.FATAL, "the request asks for acknowledgements that do not exist"),

  /** The group has moved on to another generation. */
  ILLEGAL_GENERATION(22, Kind.ABORTABLE, "the group has moved on to another generation"),

  /** The member has no assignor in common with its group. */
  INCONSISTENT_GROUP_PROTOCOL(23, Kind.FATAL, "the member has no assignor in common with its group"),

  /** No group can have that name. */
  INVALID_GROUP_ID(24, Kind.FATAL, "no group can have that name"),

  /** The group does not know the member. */
  UNKNOWN_MEMBER_ID(25, Kind.ABORTABLE, "the group does not know the member"),

  /** The session timeout is outside the broker's bounds. */
  INVALID_SESSION_TIMEOUT(26, Kind.FATAL, "the session timeout is outside the broker's bounds"),

  /** The group is rebalancing and the member must join again. */
  REBALANCE_IN_PROGRESS(27, Kind.ABORTABLE, "the group is rebalancing and the member must join again"),

  /** The commit is too large. */
  INVALID_COMMIT_OFFSET_SIZE(28, Kind.ABORTABLE, "the commit is too large"),

  /** The principal may not do this with the topic. */
  TOPIC_AUTHORIZATION_FAILED(29, Kind.ABORTABLE, "the principal may not do this with the topic"),

  /** The principal may not do this with the group. */
  GROUP_AUTHORIZATION_FAILED(30, Kind.ABORTABLE, "the principal may not do this with the group"),

  /** The principal may not do this with the cluster. */
  CLUSTER_AUTHORIZATION_FAILED(31, Kind.FATAL, "the principal may not do this with the cluster"),

  /** The record's time is further from the broker's than the topic allows. */
  INVALID_TIMESTAMP(32, Kind.ABORTABLE, "the record's time is further from the broker's than the topic allows"),

  /** The broker does not offer the SASL mechanism. */
  UNSUPPORTED_SASL_MECHANISM(33, Kind.FATAL, "the broker does not offer the SASL mechanism"),

  /** The request does not belong at this point of the authentication. */
  ILLEGAL_SASL_STATE(34, Kind.FATAL, "the request does not belong at this point of the authentication"),

  /** The broker does not speak that version of the API. */
  UNSUPPORTED_VERSION(35, Kind.FATAL, "the broker does not speak that version of the API"),

  /** There is a topic of that name. */
  TOPIC_ALREADY_EXISTS(36, Kind.ABORTABLE, "there is a topic of that name"),

  /** The number of partitions is not possible. */
  INVALID_PARTITIONS(37, Kind.ABORTABLE, "the number of partitions is not possible"),

  /** The number of replicas is not possible with these brokers. */
  INVALID_REPLICATION_FACTOR(38, Kind.ABORTABLE, "the number of replicas is not possible with these brokers"),

  /** The replicas cannot be placed that way. */
  INVALID_REPLICA_ASSIGNMENT(39, Kind.ABORTABLE, "the replicas cannot be placed that way"),

  /** A configuration value is not valid. */
  INVALID_CONFIG(40, Kind.ABORTABLE, "a configuration value is not valid"),

  /** The broker is not, or no longer, the controller. */
  NOT_CONTROLLER(41, Kind.RETRIABLE, "the broker is not, or no longer, the controller"),

  /** The broker finds the request malformed or contradictory. */
  INVALID_REQUEST(42, Kind.FATAL, "the broker finds the request malformed or contradictory"),

  /** The log's record format does not allow the request. */
  UNSUPPORTED_FOR_MESSAGE_FORMAT(43, Kind.FATAL, "the log's record format does not allow the request"),

  /** The broker's own policy refused it. */
  POLICY_VIOLATION(44, Kind.ABORTABLE, "the broker's own policy refused it"),

  /** A batch before this one is missing in the log. */
  OUT_OF_ORDER_SEQUENCE_NUMBER(45, Kind.FATAL, "a batch before this one is missing in the log"),

  /** The log has this batch already. */
  DUPLICATE_SEQUENCE_NUMBER(46, Kind.ABORTABLE, "the log has this batch already"),

  /** The producer's epoch is not the current one. */
  INVALID_PRODUCER_EPOCH(47, Kind.FATAL, "the producer's epoch is not the current one"),

  /** The transaction's state does not allow the operation. */
  INVALID_TXN_STATE(48, Kind.FATAL, "the transaction's state does not allow the operation"),

  /** The producer id does not belong to the transactional id. */
  INVALID_PRODUCER_ID_MAPPING(49, Kind.FATAL, "the producer id does not belong to the transactional id"),

  /** The transaction timeout is above the broker's bound. */
  INVALID_TRANSACTION_TIMEOUT(50, Kind.FATAL, "the transaction timeout is above the broker's bound"),

  /** The transaction before is not finished yet. */
  CONCURRENT_TRANSACTIONS(51, Kind.RETRIABLE, "the transaction before is not finished yet"),

  /** The coordinator that wrote the marker has been replaced. */
  TRANSACTION_COORDINATOR_FENCED(52, Kind.ABORTABLE, "the coordinator that wrote the marker has been replaced"),

  /** The principal may not use the transactional id. */
  TRANSACTIONAL_ID_AUTHORIZATION_FAILED(53, Kind.FATAL, "the principal may not use the transactional id"),

  /** The broker has no authorizer. */
  SECURITY_DISABLED(54, Kind.ABORTABLE, "the broker has no authorizer"),

  /** The operation was not tried, because another part of the request failed. */
  OPERATION_NOT_ATTEMPTED(55, Kind.ABORTABLE, "not tried, since another part of the request failed"),

  /** The broker's disk failed. */
  KAFKA_STORAGE_ERROR(56, Kind.REFRESH_METADATA, "the broker's disk failed"),

  /** The broker has no such log directory. */
  LOG_DIR_NOT_FOUND(57, Kind.ABORTABLE, "the broker has no such log directory"),

  /** The credentials were refused. */
  SASL_AUTHENTICATION_FAILED(58, Kind.FATAL, "the credentials were refused"),

  /** The log no longer has the state of the producer. */
  UNKNOWN_PRODUCER_ID(59, Kind.ABORTABLE, "the log holds nothing of the producer any more"),

  /** The partition is being moved. */
  REASSIGNMENT_IN_PROGRESS(60, Kind.ABORTABLE, "the partition is being moved"),

  /** The broker has delegation tokens switched off. */
  DELEGATION_TOKEN_AUTH_DISABLED(61, Kind.ABORTABLE, "the broker has delegation tokens switched off"),

  /** There is no such delegation token. */
  DELEGATION_TOKEN_NOT_FOUND(62, Kind.ABORTABLE, "there is no such delegation token"),

  /** The principal neither owns nor renews the token. */
  DELEGATION_TOKEN_OWNER_MISMATCH(63, Kind.ABORTABLE, "the principal neither owns nor renews the token"),

  /** Tokens are not handed out over this kind of connection. */
  DELEGATION_TOKEN_REQUEST_NOT_ALLOWED(64, Kind.ABORTABLE, "tokens are not handed out over this kind of connection"),

  /** The principal may not do this with the token. */
  DELEGATION_TOKEN_AUTHORIZATION_FAILED(65, Kind.ABORTABLE, "the principal may not do this with the token"),

  /** The token's time is over. */
  DELEGATION_TOKEN_EXPIRED(66, Kind.ABORTABLE, "the token's time is over"),

  /** The kind of principal is not supported. */
  INVALID_PRINCIPAL_TYPE(67, Kind.ABORTABLE, "the kind of principal is not supported"),

  /** The group still has members. */
  NON_EMPTY_GROUP(68, Kind.ABORTABLE, "the group still has members"),

  /** There is no such group. */
  GROUP_ID_NOT_FOUND(69, Kind.ABORTABLE, "there is no such group"),

  /** The broker has dropped the fetch session. */
  FETCH_SESSION_ID_NOT_FOUND(70, Kind.RETRIABLE, "the broker has dropped the fetch session"),

  /** The fetch session expects another epoch. */
  INVALID_FETCH_SESSION_EPOCH(71, Kind.RETRIABLE, "the fetch session expects another epoch"),

  /** The leader has no listener of that name. */
  LISTENER_NOT_FOUND(72, Kind.REFRESH_METADATA, "the leader has no listener of that name"),

  /** The broker does not delete topics. */
  TOPIC_DELETION_DISABLED(73, Kind.ABORTABLE, "the broker does not delete topics"),

  /** The client's leader epoch is older than the broker's. */
  FENCED_LEADER_EPOCH(74, Kind.REFRESH_METADATA, "the client's leader epoch is older than the broker's"),

  /** The client's leader epoch is newer than the broker's. */
  UNKNOWN_LEADER_EPOCH(75, Kind.RETRIABLE, "the client's leader epoch is newer than the broker's"),

  /** The batch's compression is unknown at the other end. */
  UNSUPPORTED_COMPRESSION_TYPE(76, Kind.ABORTABLE, "the batch's compression is unknown at the other end"),

  /** The broker has registered again since then. */
  STALE_BROKER_EPOCH(77, Kind.ABORTABLE, "the broker has been registered anew since"),

  /** The new leader does not know its high watermark yet. */
  OFFSET_NOT_AVAILABLE(78, Kind.RETRIABLE, "the new leader does not know its high watermark yet"),

  /** The member must join again with the member id of this response. */
  MEMBER_ID_REQUIRED(79, Kind.ABORTABLE, "join again with the member id of this response"),

  /** The preferred leader is not there. */
  PREFERRED_LEADER_NOT_AVAILABLE(80, Kind.REFRESH_METADATA, "the preferred leader is not there"),

  /** The group has no room for another member. */
  GROUP_MAX_SIZE_REACHED(81, Kind.FATAL, "the group has no room for another member"),

  /** Another member uses the same static instance id. */
  FENCED_INSTANCE_ID(82, Kind.FATAL, "another member uses the same static instance id"),

  /** None of the replicas that may lead is there. */
  ELIGIBLE_LEADERS_NOT_AVAILABLE(83, Kind.REFRESH_METADATA, "none of the replicas that may lead is there"),

  /** The partition has the leader that the election would choose. */
  ELECTION_NOT_NEEDED(84, Kind.REFRESH_METADATA, "the partition has the leader that the election would choose"),

  /** The partition is not being moved. */
  NO_REASSIGNMENT_IN_PROGRESS(85, Kind.ABORTABLE, "the partition is not being moved"),

  /** The group still reads the topic. */
  GROUP_SUBSCRIBED_TO_TOPIC(86, Kind.ABORTABLE, "the group still reads the topic"),

  /** The broker's validation refused a record. */
  INVALID_RECORD(87, Kind.ABORTABLE, "the broker's validation refused a record"),

  /** A transaction that commits these offsets is still open. */
  UNSTABLE_OFFSET_COMMIT(88, Kind.RETRIABLE, "a transaction that commits these offsets is still open"),

  /** Too many changes in the quota's window. */
  THROTTLING_QUOTA_EXCEEDED(89, Kind.RETRIABLE, "too many changes in the quota's window"),

  /** A newer producer has taken over the transactional id. */
  PRODUCER_FENCED(90, Kind.FATAL, "a newer producer has taken over the transactional id"),

  /** There is no such resource. */
  RESOURCE_NOT_FOUND(91, Kind.ABORTABLE, "there is no such resource"),

  /** The request names the same resource twice. */
  DUPLICATE_RESOURCE(92, Kind.ABORTABLE, "the request names the same resource twice"),

  /** The credential does not meet the broker's demands. */
  UNACCEPTABLE_CREDENTIAL(93, Kind.ABORTABLE, "the credential does not meet the broker's demands"),

  /** Sender or receiver is not among the voters. */
  INCONSISTENT_VOTER_SET(94, Kind.ABORTABLE, "sender or receiver is not among the voters"),

  /** The feature level cannot be set to that. */
  INVALID_UPDATE_VERSION(95, Kind.ABORTABLE, "the feature level cannot be set to that"),

  /** The features could not be updated. */
  FEATURE_UPDATE_FAILED(96, Kind.ABORTABLE, "the features could not be updated"),

  /** A forwarded request's principal could not be read. */
  PRINCIPAL_DESERIALIZATION_FAILURE(97, Kind.ABORTABLE, "a forwarded request's principal could not be read"),

  /** There is no such snapshot. */
  SNAPSHOT_NOT_FOUND(98, Kind.ABORTABLE, "there is no such snapshot"),

  /** The position is outside the snapshot. */
  POSITION_OUT_OF_RANGE(99, Kind.ABORTABLE, "the position is outside the snapshot"),

  /** The broker does not have the topic of that id. */
  UNKNOWN_TOPIC_ID(100, Kind.REFRESH_METADATA, "the broker does not have the topic of that id"),

  /** Another broker has that id. */
  DUPLICATE_BROKER_REGISTRATION(101, Kind.ABORTABLE, "another broker has that id"),

  /** No broker has that id. */
  BROKER_ID_NOT_REGISTERED(102, Kind.ABORTABLE, "no broker has that id"),

  /** The log belongs to another topic id. */
  INCONSISTENT_TOPIC_ID(103, Kind.REFRESH_METADATA, "the log belongs to another topic id"),

  /** The request was meant for another cluster. */
  INCONSISTENT_CLUSTER_ID(104, Kind.FATAL, "the request was meant for another cluster"),

  /** There is no such transactional id. */
  TRANSACTIONAL_ID_NOT_FOUND(105, Kind.ABORTABLE, "there is no such transactional id"),

  /** The fetch session mixes topic names and ids. */
  FETCH_SESSION_TOPIC_ID_ERROR(106, Kind.RETRIABLE, "the fetch session mixes topic names and ids"),

  /** A replica may not join the in-sync set. */
  INELIGIBLE_REPLICA(107, Kind.ABORTABLE, "a replica may not join the in-sync set"),

  /** The partition was altered, and its leader changed with that. */
  NEW_LEADER_ELECTED(108, Kind.ABORTABLE, "the partition was altered, and its leader changed with that"),

  /** The offset is in remote storage only. */
  OFFSET_MOVED_TO_TIERED_STORAGE(109, Kind.ABORTABLE, "the offset is in remote storage only"),

  /** The member must release its partitions and join again. */
  FENCED_MEMBER_EPOCH(110, Kind.ABORTABLE, "the member must give up its partitions and join again"),

  /** Another member still holds the static instance id. */
  UNRELEASED_INSTANCE_ID(111, Kind.FATAL, "another member still holds the static instance id"),

  /** The broker does not have the assignor. */
  UNSUPPORTED_ASSIGNOR(112, Kind.FATAL, "the broker does not have the assignor"),

  /** The member must try again with the epoch of the next heartbeat. */
  STALE_MEMBER_EPOCH(113, Kind.ABORTABLE, "try again with the epoch of the next heartbeat"),

  /** Broker and controller were mixed up. */
  MISMATCHED_ENDPOINT_TYPE(114, Kind.ABORTABLE, "broker and controller were mixed up"),

  /** The kind of endpoint is not known. */
  UNSUPPORTED_ENDPOINT_TYPE(115, Kind.ABORTABLE, "the kind of endpoint is not known"),

  /** No controller has that id. */
  UNKNOWN_CONTROLLER_ID(116, Kind.ABORTABLE, "no controller has that id"),

  /** The telemetry subscription is not the current one. */
  UNKNOWN_SUBSCRIPTION_ID(117, Kind.ABORTABLE, "the telemetry subscription is not the current one"),

  /** The telemetry is larger than the broker takes. */
  TELEMETRY_TOO_LARGE(118, Kind.ABORTABLE, "the telemetry is larger than the broker takes"),

  /** The controller refused the broker's registration. */
  INVALID_REGISTRATION(119, Kind.ABORTABLE, "the controller refused the broker's registration"),

  /** The transaction must be aborted; the producer can continue after that. */
  TRANSACTION_ABORTABLE(120, Kind.ABORTABLE, "the transaction must be aborted, and the producer can go on"),

  /** The record does not, or no longer, belong to this member to acknowledge. */
  INVALID_RECORD_STATE(121, Kind.ABORTABLE, "the record is not, or no longer, this member's to acknowledge"),

  /** The broker has dropped the share session. */
  SHARE_SESSION_NOT_FOUND(122, Kind.RETRIABLE, "the broker has dropped the share session"),

  /** The share session expects another epoch. */
  INVALID_SHARE_SESSION_EPOCH(123, Kind.RETRIABLE, "the share session expects another epoch"),

  /** The share group's state has a newer epoch. */
  FENCED_STATE_EPOCH(124, Kind.ABORTABLE, "the share group's state has a newer epoch"),

  /** The voter's key is not the receiver's. */
  INVALID_VOTER_KEY(125, Kind.ABORTABLE, "the voter's key is not the receiver's"),

  /** The voter is in the set already. */
  DUPLICATE_VOTER(126, Kind.ABORTABLE, "the voter is in the set already"),

  /** The voter is not in the set. */
  VOTER_NOT_FOUND(127, Kind.ABORTABLE, "the voter is not in the set"),

  /** The broker cannot compile the subscription's expression. */
  INVALID_REGULAR_EXPRESSION(128, Kind.FATAL, "the broker cannot compile the subscription's expression"),

  /** The client's metadata is unusable; the client must begin again with the bootstrap servers. */
  REBOOTSTRAP_REQUIRED(129, Kind.ABORTABLE,
      "what the client knows of the cluster is useless; start from the bootstrap servers"),

  /** The topology is not valid. */
  STREAMS_INVALID_TOPOLOGY(130, Kind.FATAL, "the topology is not valid"),

  /** The topology's epoch is not valid. */
  STREAMS_INVALID_TOPOLOGY_EPOCH(131, Kind.FATAL, "the topology's epoch is not valid"),

  /** A newer topology has taken over. */
  STREAMS_TOPOLOGY_FENCED(132, Kind.FATAL, "a newer topology has taken over"),

  /** The broker holds as many share sessions as it may. */
  SHARE_SESSION_LIMIT_REACHED(133, Kind.RETRIABLE, "the broker holds as many share sessions as it may"),

  /** A group was not deleted; its own message says why. */
  GROUP_DELETION_FAILED(134, Kind.ABORTABLE, "a group was not deleted; its own message says why"),

  /** The topology's description was not stored. */
  STREAMS_TOPOLOGY_DESCRIPTION_UPDATE_FAILED(135, Kind.ABORTABLE, "the topology's description was not stored"),

  /** No registered controller has that id. */
  CONTROLLER_ID_NOT_REGISTERED(136, Kind.ABORTABLE, "no registered controller has that id");

  /** How a caller without a rule of its own handles an error. */
  public enum Kind {
    /** There is no error. */
    NONE,
    /** The same request may succeed later, unchanged. */
    RETRIABLE,
    /** The same request may succeed once the client knows the present leader or coordinator. */
    REFRESH_METADATA,
    /** The operation failed, with the transaction that it was part of; the client can continue. */
    ABORTABLE,
    /** The client cannot continue with its current settings. */
    FATAL
  }

  private static final int LOWEST = -1;
  private static final ErrorCode[] BY_CODE = byCode();

  private final short code;
  private final Kind kind;
  private final String description;

  ErrorCode(int code, Kind kind, String description) {
    this.code = (short) code;
    this.kind = kind;
    this.description = description;
  }

  private static ErrorCode[] byCode() {
    List<ErrorCode> ofBrokers = Arrays.stream(values()).filter(ErrorCode::isOfBrokers).toList();
    ErrorCode[] table = new ErrorCode[ofBrokers.size()];
    ofBrokers.forEach(error -> table[error.code - LOWEST] = error);
    return table;
  }

  /**
   * Finds an error by its code; allocates nothing.
   *
   * @param code as on the wire
   * @return the error; {@link #UNKNOWN_SERVER_ERROR} for a code that is not known
   */
  public static ErrorCode of(short code) {
    int index = code - LOWEST;
    return index >= 0 && index < BY_CODE.length ? BY_CODE[index] : UNKNOWN_SERVER_ERROR;
  }

  /** Returns true if brokers send the error; false if it is this client's own. */
  public boolean isOfBrokers() {
    return code >= LOWEST;
  }

  /** Returns the code on the wire; below -1 for one of this client's own. */
  public short code() {
    return code;
  }

  /** Returns how a caller handles the error. */
  public Kind kind() {
    return kind;
  }

  /** Returns the meaning, as a part of a sentence. */
  public String description() {
    return description;
  }

  /** Returns true if the same request may succeed later. */
  public boolean isRetriable() {
    return kind == Kind.RETRIABLE || kind == Kind.REFRESH_METADATA;
  }
}
