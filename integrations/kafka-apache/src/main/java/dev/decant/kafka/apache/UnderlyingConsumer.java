package dev.decant.kafka.apache;

import dev.decant.kafka.assignor.Assignor;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.ConsumerBuilder;
import dev.decant.kafka.consumer.GroupMembershipOperation;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decant's consumer behind one of Apache's. It is a member of the group from the first poll with a subscription on, and
 * has no membership otherwise. Caller's thread only (see {@link ThreadCheck}), but for {@link #wakeup}.
 */
final class UnderlyingConsumer {
  private final KafkaClient client;
  private final ConsumerSettings settings;
  private final List<Assignor> assignors;
  private final ListenerAdapter listener;
  private volatile @Nullable Consumer<byte[], byte[]> open;
  private boolean member;
  /** True while the listener is called because the member leaves. */
  private boolean leaving;

  UnderlyingConsumer(KafkaClient client, ConsumerSettings settings, List<Assignor> assignors,
      ListenerAdapter listener) {
    this.client = client;
    this.settings = settings;
    this.assignors = List.copyOf(assignors);
    this.listener = listener;
  }

  /** Returns the open consumer, or a new one without membership. */
  Consumer<byte[], byte[]> current() {
    Consumer<byte[], byte[]> present = open;
    return present != null ? present : open(builder(), false);
  }

  @Nullable
  Consumer<byte[], byte[]> ifOpen() {
    return open;
  }

  boolean hasAssignors() {
    return !assignors.isEmpty();
  }

  boolean isMember() {
    return member;
  }

  boolean isLeaving() {
    return leaving;
  }

  /** Joins the group, or changes the subscription of the member. */
  Consumer<byte[], byte[]> join(SubscriptionState wanted) {
    Consumer<byte[], byte[]> present = open;
    wanted.applied();
    if (present != null && member) {
      switch (wanted.kind()) {
        case PATTERN -> present.subscribePattern(wanted.pattern(), settings.withInternalTopics());
        case BROKER_PATTERN -> present.subscribePattern(wanted.brokerPattern().pattern());
        default -> present.subscribe(wanted.topics().toArray(String[]::new));
      }
      return present;
    }
    if (present != null) {
      present.close(Duration.ZERO, GroupMembershipOperation.DEFAULT);
      open = null;
    }
    ConsumerBuilder<byte[], byte[]> builder = builder();
    switch (wanted.kind()) {
      case PATTERN -> builder.subscribePattern(wanted.pattern(), settings.withInternalTopics());
      case BROKER_PATTERN -> builder.subscribePattern(wanted.brokerPattern().pattern());
      default -> builder.subscribe(wanted.topics().toArray(String[]::new));
    }
    return open(builder, true);
  }

  private ConsumerBuilder<byte[], byte[]> builder() {
    ConsumerBuilder<byte[], byte[]> builder = client.consumer(Serdes.bytes(), Serdes.bytes());
    builder.exclusive(true).autoCommit(false).rebalanceListener(listener);
    if (settings.isClassic()) {
      builder.assignors(assignors.toArray(Assignor[]::new));
    }
    return builder;
  }

  private Consumer<byte[], byte[]> open(ConsumerBuilder<byte[], byte[]> builder, boolean asMember) {
    Consumer<byte[], byte[]> opened = builder.open();
    open = opened;
    member = asMember;
    return opened;
  }

  /** Releases all partitions and leaves the group, if it is a member. */
  void leave(Duration timeout, GroupMembershipOperation departure) {
    Consumer<byte[], byte[]> present = open;
    if (present == null) {
      return;
    }
    leaving = true;
    try {
      present.close(timeout, departure);
    } finally {
      leaving = false;
      member = false;
      open = null;
    }
  }

  /** Ends a waiting call. Any thread. */
  void wakeup() {
    Consumer<byte[], byte[]> present = open;
    if (present != null) {
      present.wakeup();
    }
  }
}
