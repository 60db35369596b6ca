package dev.decant.testkit;

import java.util.List;

/** The operations of a test or a measurement on any cluster, without the client under test. Threads: any. */
public interface TestCluster extends AutoCloseable {
  /**
   * Returns the bootstrap servers.
   *
   * @return {@code host:port} of its nodes, with commas
   */
  String bootstrap();

  /**
   * Creates a topic with the cluster's default number of replicas and waits until every partition has a leader.
   *
   * @param name its name
   * @param partitions how many
   */
  void createTopic(String name, int partitions);

  /**
   * Creates a topic that is only written to. Brokers of the test kit with logs in memory keep only its end, so they
   * write to the same memory again and again. End offsets are not affected.
   *
   * @param name its name
   * @param partitions how many
   */
  default void createScratchTopic(String name, int partitions) {
    createTopic(name, partitions);
  }

  /**
   * Creates several topics by one request and waits until every partition has a leader.
   *
   * @param names their names
   * @param partitions how many each one has
   */
  void createTopics(List<String> names, int partitions);

  /**
   * Creates several topics as {@link #createScratchTopic} does, by one request.
   *
   * @param names their names
   * @param partitions how many each one has
   */
  default void createScratchTopics(List<String> names, int partitions) {
    createTopics(names, partitions);
  }

  /**
   * Deletes topics by one request. Topics that do not exist are ignored.
   *
   * @param names their names
   */
  void deleteTopics(List<String> names);

  /**
   * Deletes a topic. A topic that does not exist is ignored.
   *
   * @param name its name
   */
  void deleteTopic(String name);

  /**
   * Returns the end offset of each partition: how many records the broker has stored.
   *
   * @param topic its name
   * @return end offset by partition
   */
  long[] endOffsets(String topic);

  /**
   * Returns the end offsets of several topics.
   *
   * @param topics their names
   * @return for each topic, in this order, the result of {@link #endOffsets(String)}
   */
  List<long[]> endOffsets(List<String> topics);

  /**
   * Sets session timeout and heartbeat interval of a group under the consumer protocol. Under the classic protocol each
   * member sets its own.
   *
   * @param name of the group, which need not exist yet
   * @param sessionMillis session timeout
   * @param intervalMillis heartbeat interval
   */
  void configureGroup(String name, int sessionMillis, int intervalMillis);

  /**
   * Waits until earlier writes are on the disk, so that they do not disturb later ones. Has no effect for an external
   * cluster.
   */
  default void settle() {}

  @Override
  void close();

  /** Parses the response of a child JVM to the request for end offsets. */
  static long[] parseOffsets(String response) {
    String[] words = response.split(" ", -1);
    long[] offsets = new long[words.length];
    for (int i = 0; i < offsets.length; i++) {
      offsets[i] = Long.parseLong(words[i]);
    }
    return offsets;
  }
}
