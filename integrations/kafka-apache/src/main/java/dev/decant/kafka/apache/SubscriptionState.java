package dev.decant.kafka.apache;

import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.SubscriptionPattern;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.internals.Topic;
import org.jspecify.annotations.Nullable;

/** What the application wants to read, and in which of the ways that exclude each other. The thread that is inside. */
final class SubscriptionState {
  /** The ways. */
  enum Kind {
    NONE, TOPICS, PATTERN, BROKER_PATTERN, ASSIGNED;

    /** Returns true if a group assigns the partitions. */
    boolean isOfGroup() {
      return this == TOPICS || this == PATTERN || this == BROKER_PATTERN;
    }
  }

  private Kind kind = Kind.NONE;
  private Set<String> topics = Set.of();
  /** Names that no broker takes. The next poll says so. */
  private Set<String> invalid = Set.of();
  private @Nullable Pattern pattern;
  private @Nullable SubscriptionPattern brokerPattern;
  private @Nullable ConsumerRebalanceListener listener;
  /** Whether the group has not heard of it yet. */
  private boolean changed;

  Kind kind() {
    return kind;
  }

  /** Legal names; empty unless topics were named. */
  Set<String> topics() {
    return topics;
  }

  /** What was named, with the names that no broker takes. */
  Set<String> named() {
    Set<String> all = new HashSet<>(topics);
    all.addAll(invalid);
    return Set.copyOf(all);
  }

  Pattern pattern() {
    Pattern present = pattern;
    if (present == null) {
      throw new IllegalStateException("no pattern");
    }
    return present;
  }

  SubscriptionPattern brokerPattern() {
    SubscriptionPattern present = brokerPattern;
    if (present == null) {
      throw new IllegalStateException("no pattern");
    }
    return present;
  }

  @Nullable
  ConsumerRebalanceListener listener() {
    return listener;
  }

  boolean isChanged() {
    return changed;
  }

  void applied() {
    changed = false;
  }

  void subscribe(Collection<String> names, @Nullable ConsumerRebalanceListener heard) {
    to(Kind.TOPICS);
    listener = heard;
    take(names);
    changed = true;
  }

  void subscribe(Pattern wanted, @Nullable ConsumerRebalanceListener heard) {
    to(Kind.PATTERN);
    listener = heard;
    pattern = wanted;
    changed = true;
  }

  void subscribe(SubscriptionPattern wanted, @Nullable ConsumerRebalanceListener heard) {
    to(Kind.BROKER_PATTERN);
    listener = heard;
    brokerPattern = wanted;
    changed = true;
  }

  /** Partitions of these topics are assigned by the application. */
  void assign(Collection<String> names) {
    to(Kind.ASSIGNED);
    take(names);
  }

  private void take(Collection<String> names) {
    topics = new LinkedHashSet<>(names);
    invalid = new HashSet<>();
    topics.removeIf(name -> !Topic.isValid(name) && invalid.add(name));
  }

  private void to(Kind wanted) {
    if (kind != Kind.NONE && kind != wanted) {
      throw new IllegalStateException("Subscription to topics, partitions and pattern are mutually exclusive");
    }
    kind = wanted;
  }

  void clear() {
    kind = Kind.NONE;
    topics = Set.of();
    invalid = Set.of();
    pattern = null;
    brokerPattern = null;
    listener = null;
    changed = false;
  }

  /** What each poll says of names that no broker takes. */
  void requireValid() {
    if (!invalid.isEmpty()) {
      throw new InvalidTopicException(Set.copyOf(invalid));
    }
  }
}
