package dev.decant.fake.differential;

import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.message.OffsetCommitRequest;
import dev.decant.kafka.protocol.message.OffsetCommitRequest.OffsetCommitRequestPartition;
import dev.decant.kafka.protocol.message.OffsetCommitRequest.OffsetCommitRequestTopic;
import dev.decant.kafka.protocol.message.OffsetDeleteRequest;
import dev.decant.kafka.protocol.message.OffsetDeleteRequest.OffsetDeleteRequestPartition;
import dev.decant.kafka.protocol.message.OffsetDeleteRequest.OffsetDeleteRequestTopic;
import dev.decant.kafka.protocol.message.OffsetFetchRequest;
import dev.decant.kafka.protocol.message.OffsetFetchRequest.OffsetFetchRequestGroup;
import dev.decant.kafka.protocol.message.OffsetFetchRequest.OffsetFetchRequestTopic;
import dev.decant.kafka.protocol.message.OffsetFetchRequest.OffsetFetchRequestTopics;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The requests of groups' offsets. */
final class OffsetSteps {
  private static final int FIRST_WITH_INSTANCES = 7;
  private static final int FIRST_WITH_GROUPS = 8;
  private static final int FIRST_WITH_EPOCHS = 9;
  private static final int FIRST_WITH_IDS = 10;
  private static final int FIRST_WITH_LEADER_EPOCHS = 6;
  private static final int FIRST_STABLE = 7;
  private static final int FIRST_OF_ALL = 2;

  private OffsetSteps() {}

  /** Commits as a member, whose generation is a number later than the one that it has. */
  static Step commit(int version, GroupSteps.Who who, int later, Position position) {
    return new Step(who + " generation +" + later + " " + position, ApiKey.OFFSET_COMMIT, version,
        w -> request(version, w, who.group(), position)
            .generationIdOrMemberEpoch(w.member(who.client(), who.group()).generation() + later)
            .memberId(w.member(who.client(), who.group()).id())
            .groupInstanceId(version < FIRST_WITH_INSTANCES ? null : who.instance()))
        .by(who.client());
  }

  /** Commits as nobody, as consumers do that assign their partitions themselves. */
  static Step commitAlone(int version, String group, Position position) {
    return new Step(group + " " + position, ApiKey.OFFSET_COMMIT, version,
        w -> request(version, w, group, position).generationIdOrMemberEpoch(-1));
  }

  /** The position that a commit sets. */
  record Position(String topic, int partition, long offset, @Nullable String metadata) {}

  private static OffsetCommitRequest request(int version, World world, String group, Position position) {
    OffsetCommitRequestTopic topic = version < FIRST_WITH_IDS
        ? new OffsetCommitRequestTopic().name(position.topic())
        : new OffsetCommitRequestTopic().topicId(Steps.idOf(world, position.topic()));
    return new OffsetCommitRequest().groupId(group).topics(List.of(topic.partitions(List.of(
        new OffsetCommitRequestPartition().partitionIndex(position.partition()).committedOffset(position.offset())
            .committedLeaderEpoch(version < FIRST_WITH_LEADER_EPOCHS ? -1 : 0)
            .committedMetadata(position.metadata())))));
  }

  /** Fetches the offsets of a topic's first three partitions, or of all topics where the name is null. */
  static Step fetch(int version, String group, @Nullable String topic, boolean isStable) {
    return fetch(version, group, topic, isStable, null, 0);
  }

  /** Fetches as a member, whose epoch is a number later than the one that it has. */
  static Step fetch(int version, String group, @Nullable String topic, boolean isStable,
      GroupSteps.@Nullable Who who, int later) {
    List<Integer> partitions = List.of(0, 1, 2);
    return new Step(group + " of " + topic + " stable " + isStable + " " + who + " +" + later, ApiKey.OFFSET_FETCH,
        version, w -> {
          OffsetFetchRequest request = new OffsetFetchRequest().requireStable(version >= FIRST_STABLE && isStable);
          if (version < FIRST_WITH_GROUPS) {
            return request.groupId(group).topics(topic == null
                ? (version < FIRST_OF_ALL ? List.of() : null)
                : List.of(new OffsetFetchRequestTopic().name(topic).partitionIndexes(partitions)));
          }
          OffsetFetchRequestGroup of = new OffsetFetchRequestGroup().groupId(group);
          if (who != null && version >= FIRST_WITH_EPOCHS) {
            World.Member member = w.member(who.client(), group);
            of.memberId(member.id()).memberEpoch(member.generation() + later);
          } else if (version >= FIRST_WITH_EPOCHS) {
            of.memberEpoch(-1);
          }
          OffsetFetchRequestTopics topics = version < FIRST_WITH_IDS
              ? new OffsetFetchRequestTopics().name(String.valueOf(topic))
              : new OffsetFetchRequestTopics().topicId(Steps.idOf(w, String.valueOf(topic)));
          return request.groups(List.of(of.topics(topic == null
              ? null
              : List.of(topics.partitionIndexes(partitions)))));
        });
  }

  static Step delete(String group, String topic, int partition) {
    return new Step(group + " " + topic + "-" + partition, ApiKey.OFFSET_DELETE, 0,
        w -> new OffsetDeleteRequest().groupId(group).topics(List.of(new OffsetDeleteRequestTopic().name(topic)
            .partitions(List.of(new OffsetDeleteRequestPartition().partitionIndex(partition))))));
  }
}
