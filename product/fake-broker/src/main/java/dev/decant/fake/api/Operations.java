package dev.decant.fake.api;

import dev.decant.fake.cluster.Release;

/** The numbers of operations and of types of resources, and the operations that a resource has, as bits (KIP-430). */
public final class Operations {
  /** Any operation. */
  public static final int ALL = 2;
  /** Reads records; has members in a group. */
  public static final int READ = 3;
  /** Writes records; uses a transactional id. */
  public static final int WRITE = 4;
  /** Makes topics. */
  public static final int CREATE = 5;
  /** Deletes topics, records and groups. */
  public static final int DELETE = 6;
  /** Adds partitions; changes rules. */
  public static final int ALTER = 7;
  /** Knows that a resource is there. */
  public static final int DESCRIBE = 8;
  /** Does what brokers do. */
  public static final int CLUSTER_ACTION = 9;
  /** Reads settings. */
  public static final int DESCRIBE_CONFIGS = 10;
  /** Changes settings. */
  public static final int ALTER_CONFIGS = 11;
  /** Writes without transactions, but with sequence numbers. */
  public static final int IDEMPOTENT_WRITE = 12;

  /** A topic. */
  public static final int TOPIC = 2;
  /** A group. */
  public static final int GROUP = 3;
  /** The cluster. */
  public static final int CLUSTER = 4;
  /** A transactional id. */
  public static final int TRANSACTIONAL_ID = 5;
  /** The only resource of type {@link #CLUSTER}. */
  public static final String CLUSTER_NAME = "kafka-cluster";

  /** Read, write, create, delete, alter, describe, describe and alter configs. */
  public static final int OF_TOPIC = bits(READ, WRITE, CREATE, DELETE, ALTER, DESCRIBE, DESCRIBE_CONFIGS,
      ALTER_CONFIGS);
  /** Create, alter, describe, cluster action, describe and alter configs, idempotent write. */
  public static final int OF_CLUSTER = bits(CREATE, ALTER, DESCRIBE, CLUSTER_ACTION, DESCRIBE_CONFIGS, ALTER_CONFIGS,
      IDEMPOTENT_WRITE);
  /** Read, delete, describe. */
  private static final int OF_OLD_GROUP = bits(READ, DELETE, DESCRIBE);
  /** The same, and describe and alter configs. */
  private static final int OF_GROUP = OF_OLD_GROUP | bits(DESCRIBE_CONFIGS, ALTER_CONFIGS);

  private Operations() {}

  private static int bits(int... operations) {
    int all = 0;
    for (int operation : operations) {
      all |= 1 << operation;
    }
    return all;
  }

  /**
   * Those of some operations that a client may do to a resource.
   *
   * @param all the operations, as bits
   * @param access what the client may do
   * @param resourceType the type of the resource
   * @param name its name
   * @return bits
   */
  public static int allowed(int all, Access access, int resourceType, String name) {
    int allowed = 0;
    for (int operation = READ; operation <= IDEMPOTENT_WRITE; operation++) {
      int bit = 1 << operation;
      allowed |= (all & bit) != 0 && access.may(operation, resourceType, name) ? bit : 0;
    }
    return allowed;
  }

  /**
   * The operations that a client may do to a group. Those on its configs came with the configs of groups, in 4.0
   * (KIP-848).
   *
   * @param release what the brokers are
   * @param access what the client may do
   * @param groupId the group
   * @return bits
   */
  public static int allowedOnGroup(Release release, Access access, String groupId) {
    return allowed(release.isAtLeast(4, 0) ? OF_GROUP : OF_OLD_GROUP, access, GROUP, groupId);
  }
}
