package dev.decant.kafka.broker;

import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.Uuid;
import dev.decant.kafka.protocol.message.ConsumerGroupHeartbeatRequest;
import dev.decant.kafka.protocol.message.ConsumerGroupHeartbeatResponse;
import dev.decant.kafka.protocol.message.OffsetCommitRequest;
import dev.decant.kafka.protocol.message.OffsetCommitResponse;
import dev.decant.kafka.protocol.message.OffsetFetchRequest;
import dev.decant.kafka.protocol.message.OffsetFetchResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A group of one member that a scripted broker coordinates, with its offsets. Any thread. */
public final class ScriptedGroup {
  private static final int NOBODY = 0;

  // Guarded by the monitor.
  private final Map<Integer, Long> committed = new TreeMap<>();
  private final Map<Integer, Integer> committedEpochs = new TreeMap<>();
  private List<Integer> assigned;
  private int epoch = NOBODY;
  private int lastEpoch;
  private boolean reported;
  private int intervalMillis = 100;

  ScriptedGroup(int partitions) {
    List<Integer> all = new ArrayList<>();
    for (int i = 0; i < partitions; i++) {
      all.add(i);
    }
    assigned = all;
  }

  /** Assigns partitions to the member; its next heartbeat reports them. */
  public synchronized void assign(Integer... partitions) {
    assigned = List.of(partitions);
    reported = false;
    if (epoch != NOBODY) {
      epoch = ++lastEpoch;
    }
  }

  /** Sets the interval of heartbeats, which the next response reports. */
  public synchronized void interval(int millis) {
    intervalMillis = millis;
  }

  /** Forgets the member. */
  public synchronized void expire() {
    epoch = NOBODY;
  }

  /** Returns the member's epoch; 0 while there is none. */
  public synchronized int epoch() {
    return epoch;
  }

  /** Returns the committed offset; null for none. */
  public synchronized @Nullable Long committed(int partition) {
    return committed.get(partition);
  }

  /** Commits an offset for another member. */
  public synchronized void commit(int partition, long offset) {
    committed.put(partition, offset);
  }
  synchronized ConsumerGroupHeartbeatResponse heartbeat(ConsumerGroupHeartbeatRequest request) {
    ConsumerGroupHeartbeatResponse answer = new ConsumerGroupHeartbeatResponse().memberId(request.memberId())
        .heartbeatIntervalMs(intervalMillis);
    if (request.memberEpoch() < 0) {
      epoch = NOBODY;
      return answer.memberEpoch(request.memberEpoch());
    }
    if (request.memberEpoch() == 0) {
      epoch = ++lastEpoch;
      reported = false;
    } else if (epoch == NOBODY) {
      return answer.errorCode(ErrorCode.UNKNOWN_MEMBER_ID.code());
    }
    if (!reported) {
      reported = true;
      answer.assignment(new ConsumerGroupHeartbeatResponse.Assignment().topicPartitions(List.of(
          new ConsumerGroupHeartbeatResponse.TopicPartitions().topicId(ScriptedState.TOPIC_ID).partitions(assigned))));
    }
    return answer.memberEpoch(epoch);
  }

  synchronized OffsetCommitResponse commit(OffsetCommitRequest request) {
    ErrorCode code = ErrorCode.NONE;
    if (request.generationIdOrMemberEpoch() >= 0 && request.generationIdOrMemberEpoch() != epoch) {
      code = epoch == NOBODY ? ErrorCode.UNKNOWN_MEMBER_ID : ErrorCode.STALE_MEMBER_EPOCH;
    }
    return answer(request, code);
  }

  /** Responds to a commit, and stores it if there is no error. */
  public synchronized OffsetCommitResponse answer(OffsetCommitRequest request, ErrorCode code) {
    List<OffsetCommitResponse.OffsetCommitResponseTopic> topics = new ArrayList<>();
    for (OffsetCommitRequest.OffsetCommitRequestTopic topic : request.topics()) {
      List<OffsetCommitResponse.OffsetCommitResponsePartition> partitions = new ArrayList<>();
      for (OffsetCommitRequest.OffsetCommitRequestPartition p : topic.partitions()) {
        if (code == ErrorCode.NONE) {
          committed.put(p.partitionIndex(), p.committedOffset());
          committedEpochs.put(p.partitionIndex(), p.committedLeaderEpoch());
        }
        partitions.add(new OffsetCommitResponse.OffsetCommitResponsePartition().partitionIndex(p.partitionIndex())
            .errorCode(code.code()));
      }
      topics.add(new OffsetCommitResponse.OffsetCommitResponseTopic().name(topic.name()).topicId(topic.topicId())
          .partitions(partitions));
    }
    return new OffsetCommitResponse().topics(topics);
  }

  /** Returns the committed offsets. */
  public synchronized OffsetFetchResponse offsets(OffsetFetchRequest request) {
    if (request.groups().isEmpty()) { // versions below 8 request one group
      return offsetsOfOne(request);
    }
    List<OffsetFetchResponse.OffsetFetchResponseGroup> groups = new ArrayList<>();
    for (OffsetFetchRequest.OffsetFetchRequestGroup group : request.groups()) {
      List<OffsetFetchResponse.OffsetFetchResponseTopics> topics = new ArrayList<>();
      List<OffsetFetchRequest.OffsetFetchRequestTopics> requested = group.topics();
      for (OffsetFetchRequest.OffsetFetchRequestTopics topic : requested == null
          ? List.<OffsetFetchRequest.OffsetFetchRequestTopics>of()
          : requested) {
        topics.add(offsets(topic.name(), topic.topicId(), topic.partitionIndexes()));
      }
      groups.add(new OffsetFetchResponse.OffsetFetchResponseGroup().groupId(group.groupId()).topics(topics));
    }
    return new OffsetFetchResponse().groups(groups);
  }

  private OffsetFetchResponse offsetsOfOne(OffsetFetchRequest request) {
    List<OffsetFetchResponse.OffsetFetchResponseTopic> topics = new ArrayList<>();
    List<OffsetFetchRequest.OffsetFetchRequestTopic> requested = request.topics();
    for (OffsetFetchRequest.OffsetFetchRequestTopic topic : requested == null
        ? List.<OffsetFetchRequest.OffsetFetchRequestTopic>of()
        : requested) {
      topics.add(new OffsetFetchResponse.OffsetFetchResponseTopic().name(topic.name())
          .partitions(topic.partitionIndexes().stream()
              .map(number -> new OffsetFetchResponse.OffsetFetchResponsePartition().partitionIndex(number)
                  .committedOffset(committed.getOrDefault(number, -1L))
                  .committedLeaderEpoch(committedEpochs.getOrDefault(number, -1)).metadata(""))
              .toList()));
    }
    return new OffsetFetchResponse().topics(topics);
  }

  private OffsetFetchResponse.OffsetFetchResponseTopics offsets(String name, Uuid id, List<Integer> numbers) {
    List<OffsetFetchResponse.OffsetFetchResponsePartitions> partitions = new ArrayList<>();
    for (int number : numbers) {
      partitions.add(new OffsetFetchResponse.OffsetFetchResponsePartitions().partitionIndex(number)
          .committedOffset(committed.getOrDefault(number, -1L))
          .committedLeaderEpoch(committedEpochs.getOrDefault(number, -1)).metadata(""));
    }
    return new OffsetFetchResponse.OffsetFetchResponseTopics().name(name).topicId(id).partitions(partitions);
  }
}
