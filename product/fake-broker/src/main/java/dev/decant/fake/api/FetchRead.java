package dev.decant.fake.api;

import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.Partition;
import dev.decant.fake.cluster.Topic;
import dev.decant.fake.log.EpochEnd;
import dev.decant.fake.log.PartitionLog;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.FetchRequest;
import dev.decant.kafka.protocol.message.FetchRequest.FetchPartition;
import dev.decant.kafka.protocol.message.FetchResponse.AbortedTransaction;
import dev.decant.kafka.protocol.message.FetchResponse.EpochEndOffset;
import dev.decant.kafka.protocol.message.FetchResponse.LeaderIdAndEpoch;
import dev.decant.kafka.protocol.message.FetchResponse.PartitionData;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the logs for one fetch, within its byte limits. */
final class FetchRead {
  private static final ByteBuffer NO_RECORDS = ByteBuffer.allocate(0).asReadOnlyBuffer();
  private static final int FIRST_WITH_ENDPOINTS = 16;
  private static final byte READ_COMMITTED = 1;
  private static final int NO_EPOCH = -1;

  private final Cluster cluster;
  private final RequestContext context;
  private final boolean isCommitted;
  private final PreferredReplica preferred;
  private final int maxBytes;

  FetchRead(Cluster cluster, FetchRequest request, RequestContext context) {
    this.cluster = cluster;
    this.context = context;
    this.isCommitted = request.isolationLevel() == READ_COMMITTED;
    this.preferred = new PreferredReplica(cluster, request.rackId(), context);
    this.maxBytes = Math.max(0, Math.min(request.maxBytes(), cluster.settings().getInt("fetch.max.bytes")));
  }

  /** Returns the most bytes of the whole fetch. */
  int maxBytes() {
    return maxBytes;
  }

  /** Returns the partition that the client names; null if it does not exist, or not any more. */
  @Nullable
  Partition find(FetchedPartition wanted) {
    Topic topic = cluster.topics().find(wanted.key().topicId(), wanted.key().topic());
    return topic == null ? null : topic.partition(wanted.key().partition());
  }

  /**
   * Reads all partitions in their order; the first one with records may exceed the limits by one batch. As on brokers,
   * partitions that are not read come last: those of unknown ids, then those without a partition or a right.
   */
  Map<FetchedPartition, PartitionData> read(Collection<FetchedPartition> wanted) {
    Map<FetchedPartition, PartitionData> read = new LinkedHashMap<>();
    Map<FetchedPartition, PartitionData> ofUnknownIds = new LinkedHashMap<>();
    Map<FetchedPartition, PartitionData> refused = new LinkedHashMap<>();
    int left = maxBytes;
    boolean isFirst = true;
    for (FetchedPartition one : wanted) {
      PartitionData data = read(one, left, isFirst);
      ByteBuffer records = data.records();
      int bytes = records == null ? 0 : records.remaining();
      isFirst &= bytes == 0;
      left = Math.max(0, left - bytes);
      Partition partition = find(one);
      if (isOfUnknownId(one)) {
        ofUnknownIds.put(one, data);
      } else if (partition == null || !mayRead(one, partition)) {
        refused.put(one, data);
      } else {
        read.put(one, data);
      }
    }
    read.putAll(ofUnknownIds);
    read.putAll(refused);
    return read;
  }

  private boolean isOfUnknownId(FetchedPartition wanted) {
    return wanted.isById() && cluster.topics().of(wanted.key().topicId()) == null;
  }

  /**
   * Returns true if the client may read the topic. An unknown topic id is allowed: its error says that it is unknown,
   * not that reading is denied.
   */
  private boolean mayRead(FetchedPartition wanted, @Nullable Partition partition) {
    return (partition == null && wanted.isById())
        || context.access().mayReadTopic(partition == null ? wanted.key().topic() : partition.topic().name());
  }

  private PartitionData read(FetchedPartition wanted, int left, boolean isFirst) {
    FetchPartition request = wanted.request();
    Partition partition = find(wanted);
    if (!mayRead(wanted, partition)) {
      return failed(request.partition(), ErrorCode.TOPIC_AUTHORIZATION_FAILED).abortedTransactions(List.of());
    }
    ErrorCode error = Leadership.checkFetch(partition, request.currentLeaderEpoch(), context);
    if (partition == null) {
      return failed(request.partition(), isOfUnknownId(wanted) ? ErrorCode.UNKNOWN_TOPIC_ID : error)
          .abortedTransactions(List.of());
    }
    if (error != ErrorCode.NONE) {
      PartitionData data = failed(request.partition(), error);
      return context.version() >= FIRST_WITH_ENDPOINTS && Leadership.namesLeader(error)
          ? data.currentLeader(
              new LeaderIdAndEpoch().leaderId(partition.leader()).leaderEpoch(partition.leaderEpoch()))
          : data;
    }
    PartitionLog log = partition.log();
    PartitionData data = new PartitionData().partitionIndex(request.partition()).highWatermark(log.highWatermark())
        .lastStableOffset(log.lastStable()).logStartOffset(log.logStart()).records(NO_RECORDS)
        .abortedTransactions(isCommitted ? List.of() : null);
    int replica = preferred.of(partition, request.fetchOffset());
    if (replica != PreferredReplica.NONE) {
      return data.preferredReadReplica(replica);
    }
    if (isOfUnknownEpoch(log, request)) {
      return failed(request.partition(), ErrorCode.OFFSET_OUT_OF_RANGE);
    }
    EpochEndOffset diverging = diverging(log, request);
    if (diverging != null) {
      return data.divergingEpoch(diverging).abortedTransactions(null);
    }
    long offset = request.fetchOffset();
    if (offset < log.logStart() || offset > partition.endAt(context.broker().id())) {
      return failed(request.partition(), ErrorCode.OFFSET_OUT_OF_RANGE);
    }
    return withRecords(data, log, request, Math.max(0, Math.min(left, request.partitionMaxBytes())), isFirst);
  }

  private PartitionData withRecords(PartitionData data, PartitionLog log, FetchPartition request, int bound,
      boolean isFirst) {
    long offset = request.fetchOffset();
    long end = endOf(log);
    if (offset >= end) {
      return data;
    }
    ByteBuffer records = log.read(offset, end, bound, isFirst);
    if (isCommitted) {
      data.abortedTransactions(log.aborted(offset, log.endOfRead(offset, records.remaining())).stream()
          .map(t -> new AbortedTransaction().producerId(t.producerId()).firstOffset(t.firstOffset())).toList());
    }
    return data.records(records);
  }

  /** Returns the offset up to which the client may read. */
  private long endOf(PartitionLog log) {
    return isCommitted ? log.lastStable() : log.highWatermark();
  }

  /**
   * Returns true if the client's records have an epoch whose end the log does not know: no offset is right for them.
   */
  private static boolean isOfUnknownEpoch(PartitionLog log, FetchPartition request) {
    return request.lastFetchedEpoch() != NO_EPOCH && log.endOfEpoch(request.lastFetchedEpoch()).epoch() == NO_EPOCH;
  }

  /** Returns the offset at which the client's log and this one diverge, or null (KIP-595). */
  private static @Nullable EpochEndOffset diverging(PartitionLog log, FetchPartition request) {
    if (request.lastFetchedEpoch() == NO_EPOCH) {
      return null;
    }
    EpochEnd end = log.endOfEpoch(request.lastFetchedEpoch());
    if (end.epoch() == request.lastFetchedEpoch() && end.offset() >= request.fetchOffset()) {
      return null;
    }
    return end.epoch() == NO_EPOCH ? null : new EpochEndOffset().epoch(end.epoch()).endOffset(end.offset());
  }

  /** Returns the bytes of a partition that the client would receive now; -1 if it must receive an error at once. */
  long readable(FetchedPartition wanted) {
    FetchPartition request = wanted.request();
    Partition partition = find(wanted);
    if (partition == null || !mayRead(wanted, partition)
        || Leadership.checkFetch(partition, request.currentLeaderEpoch(), context) != ErrorCode.NONE) {
      return -1;
    }
    PartitionLog log = partition.log();
    long offset = request.fetchOffset();
    if (preferred.of(partition, offset) != PreferredReplica.NONE) {
      return -1;
    }
    if (offset < log.logStart() || offset > partition.endAt(context.broker().id()) || isOfUnknownEpoch(log, request)
        || diverging(log, request) != null) {
      return -1;
    }
    return offset >= endOf(log) ? 0 : Math.min(request.partitionMaxBytes(), log.readable(offset, endOf(log)));
  }

  static PartitionData failed(int partition, ErrorCode error) {
    return new PartitionData().partitionIndex(partition).errorCode(error.code()).highWatermark(-1)
        .records(NO_RECORDS).abortedTransactions(null);
  }
}
