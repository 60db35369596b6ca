package dev.decant.testkit;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** Formats several topics in a request to a child JVM, and parses its response. */
final class TopicNames {
  private TopicNames() {}

  /** Returns the topics as one word of a request. */
  static String word(List<String> topics) {
    return String.join(",", Objects.requireNonNull(topics, "topics"));
  }

  /** Returns the topics for an error: the first name stands for all, because a thousand names say no more. */
  static String shown(List<String> topics) {
    return topics.size() == 1 ? topics.getFirst() : topics.size() + " topics from " + topics.getFirst();
  }

  /** Parses the end offsets of each topic. */
  static List<long[]> offsets(String response) {
    return Arrays.stream(response.split(";", -1)).map(TestCluster::parseOffsets).toList();
  }
}
