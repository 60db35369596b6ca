package dev.decant.kafka.cluster;

import java.util.Set;

/** A producer, consumer or call that needs metadata of topics while it names them. */
@FunctionalInterface
public interface TopicUser {
  /**
   * Adds the topics that are needed now. Owner of the loop only; called before a request for all topics.
   *
   * @param topics the topics of other users
   */
  void addTopics(Set<String> topics);
}
