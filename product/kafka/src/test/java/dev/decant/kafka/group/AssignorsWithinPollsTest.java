package dev.decant.kafka.group;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.assignor.Assignor;
import dev.decant.kafka.assignor.Subscriber;
import dev.decant.kafka.assignor.TopicLayout;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.JoinGroupRequest;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Tests assignors that the polling thread calls. When the loop called them, Kafka Streams stayed in its rebalance: its
 * assignor locks directories for the calling thread, and no stream thread could take these locks.
 */
class AssignorsWithinPollsTest {
  /** Assigns a partition of a topic without metadata. */
  private record Creating(boolean runsWithinPolls) implements Assignor {
    @Override
    public String name() {
      return "creating";
    }

    @Override
    public Kind kind() {
      return Kind.COOPERATIVE;
    }

    @Override
    public Map<String, List<TopicPartition>> assign(Map<String, TopicLayout> topics, List<Subscriber> members) {
      return Map.of("me", List.of(new TopicPartition("created", 0)));
    }
  }

  private static final class Questions implements ClassicMembership.Host {
    final List<String> calls = new ArrayList<>();
    int number;

    @Override
    public void computeUserData(int question, Set<String> topics, int ownedGeneration) {
      number = question;
      calls.add(new TreeSet<>(topics) + " " + ownedGeneration);
    }

    @Override
    public void reconcile(int reconciliation, Set<TopicPartition> revoked, Set<TopicPartition> added) {}

    @Override
    public void lead(int generation, Assignor assignor, List<Subscriber> members, boolean assigns) {}

    @Override
    public void follow() {}

    @Override
    public void lost(KafkaException cause) {}

    @Override
    public void failed(KafkaException cause) {}

    @Override
    public void refused(KafkaException cause) {}

    @Override
    public void retried(KafkaException cause) {}

    @Override
    public void coordinatorLost(KafkaException cause) {}

    @Override
    public void changed(ClassicMembership.State before, ClassicMembership.State now) {}
  }

  private long now = Long.MAX_VALUE - 1_000; // close to the clock's overflow
  private final Questions host = new Questions();
  private final ClassicMembership member = new ClassicMembership(new GroupSettings("billing", null, null, null, 9_000),
      new ClassicSettings(List.of(new Creating(true)), 10_000, 3_000, 300_000), host);

  private static String userData(JoinGroupRequest request) {
    ByteBuffer data = ConsumerProtocol.readSubscription("me", null, request.protocols().getFirst().metadata())
        .userData();
    return String.valueOf(UTF_8.decode(data.duplicate()));
  }

  private static Map<String, ByteBuffer> userData(String text) {
    return Map.of("creating", ByteBuffer.wrap(text.getBytes(UTF_8)));
  }

  @Test
  void theJoinWaitsForTheAssignors() {
    member.subscribe(Set.of("orders"), now);

    assertThat(member.join(now)).isNull();
    assertThat(member.join(now)).isNull();
    assertThat(host.calls).containsExactly("[orders] -1");
    assertThat(member.nextNanos(now)).isEqualTo(Long.MAX_VALUE);
    member.userData(host.number, userData("mine"));
    assertThat(member.nextNanos(now)).isEqualTo(now);

    assertThat(userData(Objects.requireNonNull(member.join(now), "a join"))).isEqualTo("mine");
    assertThat(host.calls).hasSize(1);
  }

  @Test
  void eachJoinComputesUserDataAgain() {
    member.subscribe(Set.of("orders"), now);
    member.join(now);
    member.userData(host.number, userData("first"));
    member.join(now);
    member.onNoJoin(new KafkaException(ErrorCode.NETWORK_EXCEPTION, "cut"), now);
    now += 200_000_000L;

    assertThat(member.join(now)).isNull();
    member.userData(host.number, userData("second"));

    assertThat(userData(Objects.requireNonNull(member.join(now), "a join"))).isEqualTo("second");
  }

  @Test
  void userDataOfAnotherSubscriptionIsNotSent() {
    member.subscribe(Set.of("orders"), now);
    member.join(now);
    int first = host.number;
    member.subscribe(Set.of("orders", "bills"), now);
    member.userData(first, userData("orders"));

    assertThat(member.join(now)).isNull();
    assertThat(host.calls).containsExactly("[orders] -1", "[bills, orders] -1");
    member.userData(host.number, userData("both"));
    assertThat(userData(Objects.requireNonNull(member.join(now), "a join"))).isEqualTo("both");
  }

  private static Leadership leadership(Assignor assignor) {
    return new Leadership("billing", 1, assignor,
        List.of(new Subscriber("me", null, List.of("orders"), List.of(), -1, null, ByteBuffer.allocate(0))));
  }

  @Test
  void suchAnAssignorMayGiveATopicThatItHasCreated() {
    Leadership leadership = leadership(new Creating(true));

    Map<String, ByteBuffer> assignment = leadership.assign(leadership.adopt(Map.of()));

    assertThat(ConsumerProtocol.readAssignment(Objects.requireNonNull(assignment.get("me"), "an assignment")))
        .containsExactly(new TopicPartition("created", 0));
  }

  @Test
  void noOtherAssignorMay() {
    Leadership leadership = leadership(new Creating(false));
    Map<String, TopicLayout> none = leadership.adopt(Map.of());

    assertThatThrownBy(() -> leadership.assign(none)).isInstanceOf(KafkaException.class)
        .hasMessageContaining("it has given created-0, which is not there");
  }
}
