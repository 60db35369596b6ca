package dev.decant.fake.api;

import dev.decant.fake.cluster.Release;

/** The numbers of operations and of types of resources, and the operations of a resource as bits (KIP-430). */
public final class Operations {
  /** All operations. */
  public static final int ALL = 2;
  /** Reads records; is a member of a group. */
  public static final int READ = 3;
  /** Writes records; uses a transactional id. */
  public static final int WRITE = 4;
  /** Creates topics. */
  public static final int CREATE = 5;
  /** Deletes topics, records and groups. */
  public static final int DELETE = 6;
  /** Adds partitions; changes rules. */
  public static final int ALTER = 7;
  /** Knows that a resource exists. */
  public static final int DESCRIBE = 8;
  /** Does what brokers do among themselves. */
  public static final int CLUSTER_ACTION = 9;
  /** Reads settings. */
  public static final int DESCRIBE_CONFIGS = 10;
  /** Changes settings. */
  public static final int ALTER_CONFIGS = 11;
  /** Writes with sequence numbers and without transactions. */
  public static final int IDEMPOTENT_WRITE = 12;

  /** The type of topics. */
  public static final int TOPIC = 2;
  /** The type of groups. */
  public static final int GROUP = 3;
  /** The type of the cluster. */
  public static final int CLUSTER = 4;
  /** The type of transactional ids. */
  public static final int TRANSACTIONAL_ID = 5;
  /** The name of the only resource of type {@link #CLUSTER}. */
  public static final String CLUSTER_NAME = "kafka-cluster";

  /** The operations of a topic: read, write, create, delete, alter, describe, describe and alter configs. */
  public static final int OF_TOPIC = bits(READ, WRITE, CREATE, DELETE, ALTER, DESCRIBE, DESCRIBE_CONFIGS,
      ALTER_CONFIGS);
  /**
   * The operations of the cluster: create, alter, describe, cluster action, describe and alter configs, idempotent
   * write.
   */
  public static final int OF_CLUSTER = bits(CREATE, ALTER, DESCRIBE, CLUSTER_ACTION, DESCRIBE_CONFIGS, ALTER_CONFIGS,
      IDEMPOTENT_WRITE);
  /** The operations of a group before 4.0: read, delete, describe. */
  private static final int OF_OLD_GROUP = bits(READ, DELETE, DESCRIBE);
  /** The operations of a group: those before 4.0, and describe and alter configs. */
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
   * Returns those of some operations that a client may do on a resource.
   *
   * @param all the operations, as bits
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
   * Returns the operations that a client may do on a group. Describe and alter configs came with the configs of groups,
   * in 4.0 (KIP-848).
   *
   * @return bits
   */
  public static int allowedOnGroup(Release release, Access access, String groupId) {
    return allowed(release.isAtLeast(4, 0) ? OF_GROUP : OF_OLD_GROUP, access, GROUP, groupId);
  }
}
