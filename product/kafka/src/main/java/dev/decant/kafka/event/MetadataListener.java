package dev.decant.kafka.event;

/** What a client learns about its cluster. Told by the owner of the client's loop: return soon, do not block. */
public interface MetadataListener {
  /**
   * New metadata is in use.
   *
   * @param brokers in the cluster
   * @param topics that the client uses
   */
  default void onUpdated(int brokers, int topics) {}

  /**
   * A partition in use has another leader.
   *
   * @param topic the topic
   * @param partition the partition
   * @param before broker id; -1 for none
   * @param now broker id; -1 for none
   */
  default void onLeaderChanged(String topic, int partition, int before, int now) {}
}
