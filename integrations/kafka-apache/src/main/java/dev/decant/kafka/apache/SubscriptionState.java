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

/**
 * The application's choice of what to read, in one of the ways that exclude each other. Caller's thread only (see
 * {@link ThreadCheck}).
 */
final class SubscriptionState {
  /** The ways to choose. */
  enum Kind {
    NONE, TOPICS, PATTERN, BROKER_PATTERN, ASSIGNED;

    /** Returns true if a group assigns the partitions. */
    boolean isOfGroup() {
      return this == TOPICS || this == PATTERN || this == BROKER_PATTERN;
    }
  }

  private Kind kind = Kind.NONE;
  private Set<String> topics = Set.of();
  /** Names that no broker accepts. The next poll throws for them. */
  private Set<String> invalid = Set.of();
  private @Nullable Pattern pattern;
  private @Nullable SubscriptionPattern brokerPattern;
  private @Nullable ConsumerRebalanceListener listener;
  /** True if the group does not know the current choice yet. */
  private boolean changed;

  Kind kind() {
    return kind;
  }

  /** Returns the legal names; empty unless topics were named. */
  Set<String> topics() {
    return topics;
  }

  /** Returns all names, also those that no broker accepts. */
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

  void subscribe(Collection<String> names, @Nullable ConsumerRebalanceListener rebalanceListener) {
    to(Kind.TOPICS);
    listener = rebalanceListener;
    take(names);
    changed = true;
  }

  void subscribe(Pattern wanted, @Nullable ConsumerRebalanceListener rebalanceListener) {
    to(Kind.PATTERN);
    listener = rebalanceListener;
    pattern = wanted;
    changed = true;
  }

  void subscribe(SubscriptionPattern wanted, @Nullable ConsumerRebalanceListener rebalanceListener) {
    to(Kind.BROKER_PATTERN);
    listener = rebalanceListener;
    brokerPattern = wanted;
    changed = true;
  }

  /** Notes that the application assigns partitions of these topics itself. */
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

  /** Throws if a name is one that no broker accepts. */
  void requireValid() {
    if (!invalid.isEmpty()) {
      throw new InvalidTopicException(Set.copyOf(invalid));
    }
  }
}
