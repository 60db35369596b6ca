package dev.decant.fake;

import dev.decant.fake.api.Operations;

/** An operation of a client on a resource, for the rules of {@link FakeSecurity} (KIP-11). */
public enum Operation {
  /** All operations. */
  ALL(Operations.ALL),
  /** Reads records of a topic, or is a member of a group. */
  READ(Operations.READ),
  /** Writes records to a topic, or uses a transactional id. */
  WRITE(Operations.WRITE),
  /** Creates topics. */
  CREATE(Operations.CREATE),
  /** Deletes topics, records and groups. */
  DELETE(Operations.DELETE),
  /** Adds partitions to topics, and changes rules. */
  ALTER(Operations.ALTER),
  /** Learns that a resource exists; the right to read, write, delete or alter includes this one. */
  DESCRIBE(Operations.DESCRIBE),
  /** Does what brokers do among themselves. */
  CLUSTER_ACTION(Operations.CLUSTER_ACTION),
  /** Reads settings. */
  DESCRIBE_CONFIGS(Operations.DESCRIBE_CONFIGS),
  /** Changes settings, and reads them. */
  ALTER_CONFIGS(Operations.ALTER_CONFIGS),
  /** Writes with sequence numbers; the right to write to any topic suffices, too. */
  IDEMPOTENT_WRITE(Operations.IDEMPOTENT_WRITE);

  private final int code;

  Operation(int code) {
    this.code = code;
  }

  int code() {
    return code;
  }
}
