package dev.decant.kafka.apache;

import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.GroupMembershipOperation;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.SubscriptionPattern;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidGroupIdException;
import org.jspecify.annotations.Nullable;

/** The calls that choose what to read. Caller's thread only (see {@link ThreadCheck}). */
final class SubscriptionCalls {
  private final ConsumerSettings settings;
  private final SubscriptionState state;
  private final UnderlyingConsumer underlying;
  private final ListenerAdapter listener;
  private final AutoCommit autoCommit;
  private final ConsumerOffsets offsets;

  SubscriptionCalls(ConsumerSettings settings, SubscriptionState state, UnderlyingConsumer underlying,
      ListenerAdapter listener, AutoCommit autoCommit, ConsumerOffsets offsets) {
    this.settings = settings;
    this.state = state;
    this.underlying = underlying;
    this.listener = listener;
    this.autoCommit = autoCommit;
    this.offsets = offsets;
  }

  static void requireListener(@Nullable ConsumerRebalanceListener given) {
    if (given == null) {
      throw new IllegalArgumentException("RebalanceListener cannot be null");
    }
  }

  static void requirePartitions(@Nullable Collection<TopicPartition> given) {
    if (given == null) {
      throw new IllegalArgumentException("Partitions collection cannot be null");
    }
  }

  /** Returns the topics that are read, as far as the client knows their names. */
  Set<String> topics() {
    Consumer<?, ?> present = underlying.ifOpen();
    return switch (state.kind()) {
      case TOPICS -> state.named();
      case PATTERN -> present != null && underlying.isMember() ? present.subscription() : Set.of();
      case BROKER_PATTERN -> {
        Set<String> assigned = new HashSet<>();
        if (present != null) {
          present.assignment().forEach(p -> assigned.add(p.topic()));
        }
        yield assigned;
      }
      case NONE, ASSIGNED -> Set.of();
    };
  }

  void subscribe(@Nullable Collection<String> topics, @Nullable ConsumerRebalanceListener rebalanceListener) {
    requireGroup();
    if (topics == null) {
      throw new IllegalArgumentException("Topic collection to subscribe to cannot be null");
    }
    if (topics.isEmpty()) {
      unsubscribe();
      return;
    }
    for (String topic : topics) {
      if (topic == null || topic.isBlank()) {
        throw new IllegalArgumentException("Topic collection to subscribe to cannot contain null or empty topic");
      }
    }
    requireAssignors();
    state.subscribe(topics, rebalanceListener);
  }

  void subscribe(@Nullable Pattern pattern, @Nullable ConsumerRebalanceListener rebalanceListener) {
    requireGroup();
    if (pattern == null || pattern.pattern().isEmpty()) {
      throw new IllegalArgumentException("Topic pattern to subscribe to cannot be "
          + (pattern == null ? "null" : "empty"));
    }
    requireAssignors();
    state.subscribe(pattern, rebalanceListener);
  }

  boolean isClassic() {
    return settings.isClassic();
  }

  void subscribe(@Nullable SubscriptionPattern pattern, @Nullable ConsumerRebalanceListener rebalanceListener) {
    if (settings.isClassic()) {
      throw new UnsupportedOperationException("a broker matches a SubscriptionPattern under group.protocol=consumer"
          + " only; subscribe to a java.util.regex.Pattern under group.protocol=classic");
    }
    requireGroup();
    if (pattern == null || pattern.pattern() == null || pattern.pattern().isEmpty()) {
      throw new IllegalArgumentException("Topic pattern to subscribe to cannot be "
          + (pattern == null ? "null" : "empty"));
    }
    state.subscribe(pattern, rebalanceListener);
  }

  private void requireGroup() {
    if (settings.group().isEmpty()) {
      throw noGroup();
    }
  }

  static InvalidGroupIdException noGroup() {
    return new InvalidGroupIdException("To use the group management or offset commit APIs, you must provide a valid"
        + " group.id in the consumer configuration.");
  }

  private void requireAssignors() {
    if (settings.isClassic() && !underlying.hasAssignors()) {
      throw new IllegalStateException("partition.assignment.strategy names no assignor, and a group of the classic"
          + " protocol needs one");
    }
  }

  void assign(@Nullable Collection<TopicPartition> partitions) {
    if (partitions == null) {
      throw new IllegalArgumentException("Topic partition collection to assign to cannot be null");
    }
    if (partitions.isEmpty()) {
      unsubscribe();
      return;
    }
    Set<String> names = new HashSet<>();
    for (TopicPartition p : partitions) {
      if (p == null || p.topic() == null || p.topic().isBlank()) {
        throw new IllegalArgumentException("Topic partitions to assign to cannot have null or empty topic");
      }
      names.add(p.topic());
    }
    if (state.kind() == SubscriptionState.Kind.ASSIGNED && autoCommit.take(System.nanoTime())) {
      offsets.commitPositionsAsync(autoCommit);
    }
    autoCommit.partitionsChosen();
    state.assign(names);
    List<TopicPartition> legal = partitions.stream().filter(p -> state.topics().contains(p.topic())).toList();
    underlying.current().assign(PartitionConversion.decant(legal));
  }

  /** Unsubscribes; throws the listener's exception. */
  void unsubscribe() {
    Consumer<?, ?> present = underlying.ifOpen();
    try {
      if (underlying.isMember()) {
        leave();
      } else if (present != null) {
        present.assign(List.of());
      }
    } finally {
      state.clear();
    }
    listener.throwError();
  }

  private void leave() {
    try {
      offsets.awaitPending();
    } finally {
      listener.forgetError();
      underlying.leave(settings.millis("default.api.timeout.ms"), GroupMembershipOperation.DEFAULT);
    }
  }

  void enforceRebalance(String reason) {
    if (settings.isClassic() && settings.group().isEmpty()) {
      throw new IllegalStateException("Tried to force a rebalance but consumer does not have a group.");
    }
    Consumer<?, ?> present = underlying.ifOpen();
    if (present != null && underlying.isMember()) {
      present.enforceRebalance(reason);
    }
  }

  /** Returns the consumer for a poll, and reports a changed choice to the group. */
  Consumer<byte[], byte[]> forPoll() {
    if (state.kind() == SubscriptionState.Kind.NONE) {
      throw new IllegalStateException("Consumer is not subscribed to any topics or assigned any partitions");
    }
    state.requireValid();
    if (state.kind().isOfGroup() && (state.isChanged() || !underlying.isMember())) {
      if (!underlying.isMember()) {
        offsets.awaitPending();
      }
      return underlying.join(state);
    }
    return underlying.current();
  }
}
