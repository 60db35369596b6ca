package dev.decant.testkit;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** Several topics in a request to a child JVM, and in its response. */
final class TopicNames {
  private TopicNames() {}

  /** One word of a request. */
  static String word(List<String> topics) {
    return String.join(",", Objects.requireNonNull(topics, "topics"));
  }

  /** Returns the same in errors, where a thousand names say no more than the first one. */
  static String shown(List<String> topics) {
    return topics.size() == 1 ? topics.getFirst() : topics.size() + " topics from " + topics.getFirst();
  }

  /** Reads the end offsets of each topic. */
  static List<long[]> offsets(String response) {
    return Arrays.stream(response.split(";", -1)).map(TestCluster::parseOffsets).toList();
  }
}
