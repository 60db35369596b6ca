package dev.decant.kafka.group;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a member wants to read.
 *
 * @param topics names; empty with a pattern
 * @param pattern an expression that the broker matches against all topics (RE2J); null for none
 */
public record Subscription(List<String> topics, @Nullable String pattern) {
  /** Copies the list. */
  public Subscription {
    topics = List.copyOf(topics);
  }
}
