package dev.decant.kafka.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.assignor.Subscriber;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares the bytes of classic groups with Apache's: its classes read ours, and this client reads theirs. */
class ConsumerProtocolTest {
  private static final long SEED = System.nanoTime();
  private static final int ROUNDS = 300;

  private final Random random = new Random(SEED);

  private List<String> topics() {
    List<String> topics = new ArrayList<>();
    for (int i = random.nextInt(5); i > 0; i--) {
      topics.add("töpic-" + random.nextInt(100));
    }
    return topics;
  }

  private Set<TopicPartition> partitions() {
    Set<TopicPartition> partitions = new LinkedHashSet<>();
    for (int i = random.nextInt(20); i > 0; i--) {
      partitions.add(new TopicPartition("töpic-" + random.nextInt(5), random.nextInt(50)));
    }
    return partitions;
  }

  private ByteBuffer userData() {
    byte[] bytes = new byte[random.nextInt(4)];
    random.nextBytes(bytes);
    return ByteBuffer.wrap(bytes);
  }

  private Subscriber subscriber() {
    return new Subscriber("m-1", null, topics(), List.copyOf(partitions()), random.nextInt(9) - 1,
        random.nextBoolean() ? "rack-ä" : null, userData());
  }

  private static List<org.apache.kafka.common.TopicPartition> apache(Collection<TopicPartition> ours) {
    return ours.stream().map(p -> new org.apache.kafka.common.TopicPartition(p.topic(), p.partition())).toList();
  }

  private static ByteBuffer orEmpty(ByteBuffer bytes) {
    return bytes == null ? ByteBuffer.allocate(0) : bytes;
  }

  @Test
  void apacheReadsOurSubscriptions() {
    for (int i = 0; i < ROUNDS; i++) {
      Subscriber ours = subscriber();
      Subscription theirs = org.apache.kafka.clients.consumer.internals.ConsumerProtocol
          .deserializeSubscription(ConsumerProtocol.subscription(ours));
      assertThat(theirs.topics()).as("seed %d", SEED).containsExactlyElementsOf(ours.topics().stream().sorted()
          .toList());
      assertThat(theirs.ownedPartitions()).containsExactlyInAnyOrderElementsOf(apache(ours.owned()));
      assertThat(theirs.generationId()).isEqualTo(
          ours.ownedGeneration() < 0 ? Optional.empty() : Optional.of(ours.ownedGeneration()));
      assertThat(theirs.rackId()).isEqualTo(Optional.ofNullable(ours.rack()));
      assertThat(orEmpty(theirs.userData())).isEqualTo(ours.userData());
    }
  }

  @ParameterizedTest
  @ValueSource(shorts = {0, 1, 2, 3})
  void weReadApachesSubscriptionsOfEveryVersion(short version) {
    for (int i = 0; i < ROUNDS; i++) {
      Subscriber wanted = subscriber();
      ByteBuffer bytes = org.apache.kafka.clients.consumer.internals.ConsumerProtocol.serializeSubscription(
          new Subscription(wanted.topics(), wanted.userData(), apache(wanted.owned()), wanted.ownedGeneration(),
              Optional.ofNullable(wanted.rack())),
          version);
      Subscriber read = ConsumerProtocol.readSubscription("m-1", null, bytes);
      assertThat(read.topics()).as("seed %d", SEED).containsExactlyInAnyOrderElementsOf(wanted.topics());
      assertThat(read.userData()).isEqualTo(wanted.userData());
      assertThat(read.owned()).containsExactlyInAnyOrderElementsOf(version >= 1 ? wanted.owned() : List.of());
      assertThat(read.ownedGeneration()).isEqualTo(version >= 2 ? wanted.ownedGeneration() : -1);
      assertThat(read.rack()).isEqualTo(version >= 3 ? wanted.rack() : null);
    }
  }

  @Test
  void subscriptionIsByteForByteApaches() {
    Subscriber ours = new Subscriber("m-1", null, List.of("a", "b"),
        List.of(new TopicPartition("a", 0), new TopicPartition("a", 2)), 7, "rack", ByteBuffer.allocate(0));
    assertThat(ConsumerProtocol.subscription(ours)).isEqualTo(
        org.apache.kafka.clients.consumer.internals.ConsumerProtocol.serializeSubscription(
            new Subscription(ours.topics(), null, apache(ours.owned()), 7, Optional.of("rack"))));
  }

  @Test
  void assignmentsGoBothWays() {
    for (int i = 0; i < ROUNDS; i++) {
      Set<TopicPartition> partitions = partitions();
      assertThat(org.apache.kafka.clients.consumer.internals.ConsumerProtocol
          .deserializeAssignment(ConsumerProtocol.assignment(partitions)).partitions()).as("seed %d", SEED)
          .containsExactlyInAnyOrderElementsOf(apache(partitions));
      short version = (short) random.nextInt(4);
      ByteBuffer theirs = org.apache.kafka.clients.consumer.internals.ConsumerProtocol
          .serializeAssignment(new Assignment(apache(partitions), userData()), version);
      assertThat(ConsumerProtocol.readAssignment(theirs)).containsExactlyInAnyOrderElementsOf(partitions);
    }
  }

  @Test
  void laterVersionsAreReadAsTheLastOneKnown() {
    ByteBuffer later = ByteBuffer.allocate(200);
    later.put(ConsumerProtocol.assignment(List.of(new TopicPartition("a", 1)))).putLong(42).flip();
    later.putShort(0, (short) 9);
    assertThat(ConsumerProtocol.readAssignment(later)).containsExactly(new TopicPartition("a", 1));
  }

  @Test
  void noBytesAreNoPartitions() {
    assertThat(ConsumerProtocol.readAssignment(ByteBuffer.allocate(0))).isEmpty();
  }

  /**
   * Each prefix of the bytes, and each int32 replaced by an impossible count, is read or refused with one kind of
   * error.
   */
  @Test
  void disturbedBytesAreRefusedByOneKindOfError() {
    ByteBuffer subscription = ConsumerProtocol.subscription(subscriber());
    ByteBuffer assignment = ConsumerProtocol.assignment(List.of(new TopicPartition("a", 1)));
    for (int lie : new int[] {Integer.MIN_VALUE, -2, Integer.MAX_VALUE, 1 << 24}) {
      for (int at = 0; at < subscription.limit() - 3; at++) {
        ByteBuffer disturbed = ByteBuffer.allocate(subscription.limit()).put(subscription.duplicate()).flip();
        disturbed.putInt(at, lie);
        readOrRefuse(() -> ConsumerProtocol.readSubscription("m-2", null, disturbed));
      }
      for (int at = 0; at < assignment.limit() - 3; at++) {
        ByteBuffer disturbed = ByteBuffer.allocate(assignment.limit()).put(assignment.duplicate()).flip();
        disturbed.putInt(at, lie);
        readOrRefuse(() -> ConsumerProtocol.readAssignment(disturbed));
      }
    }
    for (int end = 1; end < assignment.limit() - 4; end++) {
      ByteBuffer cut = assignment.duplicate().limit(end);
      assertThatThrownBy(() -> ConsumerProtocol.readAssignment(cut)).isInstanceOf(KafkaException.class)
          .hasMessageStartingWith("the assignment cannot be read: ");
    }
    assertThatThrownBy(() -> ConsumerProtocol.readSubscription("m-2", null, ByteBuffer.wrap(new byte[] {0})))
        .isInstanceOf(KafkaException.class).hasMessageStartingWith("the subscription of member m-2 cannot be read: ");
  }

  private static void readOrRefuse(Runnable reading) {
    try {
      reading.run();
    } catch (KafkaException e) {
      assertThat(e).hasMessageContaining("cannot be read: ");
    }
  }
}
