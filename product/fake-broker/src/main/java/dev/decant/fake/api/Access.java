package dev.decant.fake.api;

/** The rights of a request's client. Operations and types of resources have the numbers of Kafka's protocol. */
public interface Access {
  /** All rights, as on a cluster without rules. */
  Access EVERYTHING = new Access() {
    @Override
    public boolean isLimited() {
      return false;
    }

    @Override
    public boolean may(int operation, int resourceType, String name) {
      return true;
    }

    @Override
    public boolean mayOnAny(int operation, int resourceType) {
      return true;
    }
  };

  /** Returns true if there is anything that the client may not do. */
  boolean isLimited();

  /**
   * Returns true if the client may do an operation on a resource.
   *
   * @param operation operation of {@link Operations}
   * @param resourceType type of {@link Operations}
   * @param name name of the resource
   */
  boolean may(int operation, int resourceType, String name);

  /**
   * Returns true if the client may do an operation on some resource of a type, which need not exist.
   *
   * @param operation operation of {@link Operations}
   * @param resourceType type of {@link Operations}
   */
  boolean mayOnAny(int operation, int resourceType);

  /** Returns true if the client may read a topic. */
  default boolean mayReadTopic(String name) {
    return may(Operations.READ, Operations.TOPIC, name);
  }

  /** Returns true if the client may know that a topic exists. */
  default boolean mayDescribeTopic(String name) {
    return may(Operations.DESCRIBE, Operations.TOPIC, name);
  }

  /** Returns true if the client may do an operation on the cluster. */
  default boolean mayOnCluster(int operation) {
    return may(operation, Operations.CLUSTER, Operations.CLUSTER_NAME);
  }
}
