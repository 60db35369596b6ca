package dev.decant.kafka.group;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.assignor.Assignor;
import dev.decant.kafka.assignor.Assignors;
import dev.decant.kafka.assignor.Subscriber;
import dev.decant.kafka.assignor.TopicLayout;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests the assignments of a leader, and when it has to compute another one. */
class LeadershipTest {
  private static final TopicPartition A0 = new TopicPartition("a", 0);
  private static final TopicPartition A1 = new TopicPartition("a", 1);

  private static TopicLayout layout(int partitions) {
    return new TopicLayout(Collections.nCopies(partitions, Set.of()));
  }

  private static Subscriber member(String id, int generation, TopicPartition... owned) {
    return new Subscriber(id, null, List.of("a", "b"), List.of(owned), generation, null, ByteBuffer.allocate(0));
  }

  private static Leadership leadership(Assignor assignor, Subscriber... members) {
    return new Leadership("billing", 3, assignor, List.of(members));
  }

  private static Map<String, Set<TopicPartition>> read(Map<String, ByteBuffer> assignments) {
    Map<String, Set<TopicPartition>> read = new HashMap<>();
    assignments.forEach((id, bytes) -> read.put(id, ConsumerProtocol.readAssignment(bytes)));
    return read;
  }

  @Test
  void topicsThatAppearGrowOrGoAreNoticedAndThoseOfOthersAreNot() {
    Leadership leader = leadership(Assignors.range(), member("m", -1));
    leader.assign(leader.adopt(Map.of("a", layout(2), "other", layout(1))));
    assertThat(leader.changedTopic(Map.of("a", layout(2)))).isNull();
    assertThat(leader.changedTopic(Map.of("a", layout(2), "other", layout(5)))).isNull();
    assertThat(leader.changedTopic(Map.of("a", layout(3)))).isEqualTo("a");
    assertThat(leader.changedTopic(Map.of("a", layout(2), "b", layout(1)))).isEqualTo("b");
    assertThat(leader.changedTopic(Map.of())).isEqualTo("a");
  }

  @Test
  void leaderThatIsBackMeasuresChangesByWhatItFinds() {
    Leadership leader = leadership(Assignors.range(), member("m", -1));
    assertThat(leader.changedTopic(Map.of("a", layout(2)))).isNull();
    leader.adopt(Map.of("a", layout(2)));
    assertThat(leader.changedTopic(Map.of("a", layout(2)))).isNull();
    assertThat(leader.changedTopic(Map.of("a", layout(4)))).isEqualTo("a");
  }

  @Test
  void everyMemberGetsAnAssignment() {
    Leadership leader = leadership(Assignors.range(), member("m", -1), member("n", -1), member("o", -1));
    assertThat(read(leader.assign(Map.of("a", layout(1))))).containsOnlyKeys("m", "n", "o")
        .containsEntry("m", Set.of(A0)).containsEntry("n", Set.of()).containsEntry("o", Set.of());
  }

  /** Assigns everything to one member, whatever others own. */
  private record All(String id, Assignor.Kind kind) implements Assignor {
    @Override
    public String name() {
      return "all";
    }

    @Override
    public Map<String, List<TopicPartition>> assign(Map<String, TopicLayout> topics, List<Subscriber> members) {
      return Map.of(id, List.of(A0, A1));
    }
  }

  @Test
  void cooperativePartitionsAreHeldBackUntilTheirOwnersHaveRevokedThem() {
    Assignor all = new All("n", Assignor.Kind.COOPERATIVE);
    Map<String, TopicLayout> topics = Map.of("a", layout(2));
    assertThat(read(leadership(all, member("m", 2, A0), member("n", 2, A1)).assign(topics)).get("n"))
        .containsExactly(A1);
    assertThat(read(leadership(all, member("m", 2), member("n", 2, A1)).assign(topics)).get("n"))
        .containsExactlyInAnyOrder(A0, A1);
  }

  @Test
  void partitionThatTwoMembersClaimHasNoOwnerUnlessOneGenerationIsNewer() {
    Assignor all = new All("n", Assignor.Kind.COOPERATIVE);
    Map<String, TopicLayout> topics = Map.of("a", layout(2));
    assertThat(read(leadership(all, member("m", 2, A0), member("n", 2, A0)).assign(topics)).get("n"))
        .containsExactly(A1);
    assertThat(read(leadership(all, member("m", 1, A0), member("n", 2, A0)).assign(topics)).get("n"))
        .containsExactlyInAnyOrder(A0, A1);
    assertThat(read(leadership(all, member("m", 3, A0), member("n", 2, A0)).assign(topics)).get("n"))
        .containsExactly(A1);
  }

  @Test
  void eagerMembersOwnNothingWhateverTheirSubscriptionsName() {
    Assignor all = new All("n", Assignor.Kind.EAGER);
    assertThat(read(leadership(all, member("m", 2, A0), member("n", 2)).assign(Map.of("a", layout(2)))).get("n"))
        .containsExactlyInAnyOrder(A0, A1);
  }
}
