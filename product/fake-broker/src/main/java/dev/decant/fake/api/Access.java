package dev.decant.fake.api;

/** What the client of a request may do. Operations and types of resources have the numbers of Kafka's protocol. */
public interface Access {
  /** Everything, as on a cluster without rules. */
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

  /** Whether there is anything that the client may not do. */
  boolean isLimited();

  /**
   * Whether the client may do something to a resource.
   *
   * @param operation of {@link Operations}
   * @param resourceType of {@link Operations}
   * @param name of the resource
   */
  boolean may(int operation, int resourceType, String name);

  /**
   * Whether there is a resource of a type to which the client may do something, be it there or not.
   *
   * @param operation of {@link Operations}
   * @param resourceType of {@link Operations}
   */
  boolean mayOnAny(int operation, int resourceType);

  /** Whether the client may read a topic. */
  default boolean mayReadTopic(String name) {
    return may(Operations.READ, Operations.TOPIC, name);
  }

  /** Whether the client may know that a topic is there. */
  default boolean mayDescribeTopic(String name) {
    return may(Operations.DESCRIBE, Operations.TOPIC, name);
  }

  /** Whether the client may do something to the cluster. */
  default boolean mayOnCluster(int operation) {
    return may(operation, Operations.CLUSTER, Operations.CLUSTER_NAME);
  }
}
