package dev.decant.fake.share;

import dev.decant.fake.api.Reply;
import dev.decant.fake.api.RequestContext;
import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.Partition;
import dev.decant.fake.cluster.Topic;
import dev.decant.fake.log.PartitionLog;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.ShareFetchRequest;
import dev.decant.kafka.protocol.message.ShareFetchResponse.AcquiredRecords;
import dev.decant.kafka.protocol.message.ShareFetchResponse.PartitionData;
import dev.decant.loop.Timer;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A share fetch that waits for records to acquire: it reads again whenever one of its partitions changes or records
 * become available, and ends after its wait.
 */
final class PendingShareFetch implements Runnable {
  private static final ByteBuffer NO_RECORDS = ByteBuffer.allocate(0).asReadOnlyBuffer();

  private final ShareGroups groups;
  private final Cluster cluster;
  private final RequestContext context;
  private final ShareFetchRequest request;
  private final ShareSessions.Key member;
  private final boolean isCommitted;
  private final int maxBytes;
  private final Consumer<Map<ShareKey, PartitionData>> answer;
  private final Reply<?> reply;
  private final Map<ShareKey, PartitionData> failed = new LinkedHashMap<>();
  private final List<SharePartition> wanted = new ArrayList<>();
  private final Timer timer = new Timer(this::finish);
  private boolean isFinished;

  PendingShareFetch(ShareGroups groups, RequestContext context, ShareFetchRequest request, ShareSessions.Key member,
      Consumer<Map<ShareKey, PartitionData>> answer, Reply<?> reply) {
    this.groups = groups;
    this.cluster = groups.cluster();
    this.context = context;
    this.request = request;
    this.member = member;
    this.isCommitted = cluster.groupSettings(member.groupId()).get("share.isolation.level").equals("read_committed");
    this.maxBytes = Math.max(0, Math.min(request.maxBytes(), cluster.settings().getInt("fetch.max.bytes")));
    this.answer = answer;
    this.reply = reply;
  }

  /** Starts with the partitions of the session, in the order in which they are read. */
  void start(List<ShareKey> keys) {
    boolean takesNothing = request.maxRecords() == 0 || maxBytes == 0;
    for (ShareKey key : keys) {
      Topic topic = cluster.topics().of(key.topicId());
      Partition partition = groups.partition(key);
      if (topic == null) {
        failed.put(key, failure(key, ErrorCode.UNKNOWN_TOPIC_ID));
      } else if (!context.access().mayReadTopic(topic.name())) { // before the response shows which partitions exist
        failed.put(key, failure(key, ErrorCode.TOPIC_AUTHORIZATION_FAILED));
      } else if (partition == null) {
        failed.put(key, failure(key, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION));
      } else if (!takesNothing) {
        add(key, partition);
      }
    }
    if (wanted.isEmpty() || request.maxWaitMs() <= 0 || isReady()) {
      finish();
      return;
    }
    for (SharePartition share : wanted) {
      share.watch(this);
      share.partition().watch(this);
    }
    cluster.schedule(timer, request.maxWaitMs());
  }

  private void add(ShareKey key, Partition partition) {
    ShareGroup group = groups.find(member.groupId());
    ErrorCode error = ErrorCode.NONE;
    if (partition.leader() != context.broker().id()) {
      error = ErrorCode.NOT_LEADER_OR_FOLLOWER;
    } else if (group == null
        || !group.initialized().getOrDefault(key.topicId(), List.of()).contains(key.partition())) {
      error = ErrorCode.UNKNOWN_SERVER_ERROR; // the brokers' error for a partition that no heartbeat has subscribed to
    } else {
      SharePartition share = groups.share(member.groupId(), partition);
      error = share.load(context.broker());
      if (error == ErrorCode.NONE) {
        wanted.add(share);
      }
    }
    if (error != ErrorCode.NONE) {
      failed.put(key, failure(key, error));
    }
  }

  static PartitionData failure(ShareKey key, ErrorCode error) {
    return new PartitionData().partitionIndex(key.partition()).errorCode(error.code()).records(NO_RECORDS);
  }

  private boolean isLost(SharePartition share) {
    return !share.isAt(context.broker());
  }

  private List<SharePartition> acquirable() {
    return wanted.stream().filter(share -> !isLost(share) && share.canAcquire()).toList();
  }

  private boolean isReady() {
    if (wanted.stream().anyMatch(this::isLost)) {
      return true;
    }
    List<SharePartition> acquirable = acquirable();
    long bytes = 0;
    for (SharePartition share : acquirable) {
      PartitionLog log = share.partition().log();
      long offset = share.nextOffset();
      if (offset < log.logStart() || offset > log.logEnd()) {
        return true;
      }
      bytes += offset >= endOf(log)
          ? 0
          : Math.min(log.readable(offset, endOf(log)), maxBytes / acquirable.size());
    }
    return !acquirable.isEmpty() && bytes >= Math.min(request.minBytes(), maxBytes);
  }

  private long endOf(PartitionLog log) {
    return isCommitted ? log.lastStable() : log.highWatermark();
  }

  /** Reads again after a change of one of the partitions. */
  @Override
  public void run() {
    if (isReady()) {
      finish();
    }
  }

  private void finish() {
    if (isFinished) { // the read has changed a watched partition, whose watcher has finished the fetch
      return;
    }
    isFinished = true;
    cluster.cancel(timer);
    for (SharePartition share : wanted) {
      share.unwatch(this);
      share.partition().unwatch(this);
    }
    reply.attempt(() -> answer.accept(read()));
  }

  private Map<ShareKey, PartitionData> read() {
    Map<ShareKey, PartitionData> read = new LinkedHashMap<>();
    List<SharePartition> acquirable = acquirable();
    int bound = acquirable.isEmpty() ? 0 : Math.max(1, maxBytes / acquirable.size());
    int left = maxBytes;
    long records = request.maxRecords();
    boolean isFirst = true;
    for (SharePartition share : wanted) {
      ShareKey key = keyOf(share);
      if (isLost(share)) {
        failed.put(key, failure(key, groups.partition(key) == null
            ? ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
            : ErrorCode.NOT_LEADER_OR_FOLLOWER));
      } else if (acquirable.contains(share)) {
        FetchedBatches fetched = fetch(share, Math.min(bound, left), isFirst);
        isFirst &= fetched.isEmpty();
        PartitionData data = acquire(share, fetched, records);
        left = Math.max(0, left - data.records().remaining());
        records -= data.acquiredRecords().stream().mapToLong(r -> r.lastOffset() - r.firstOffset() + 1).sum();
        read.put(key, data);
      }
    }
    read.putAll(failed);
    return read;
  }

  private static ShareKey keyOf(SharePartition share) {
    return new ShareKey(share.partition().topic().id(), share.partition().index());
  }

  private FetchedBatches fetch(SharePartition share, int bound, boolean isFirst) {
    PartitionLog log = share.partition().log();
    long offset = share.nextOffset();
    if (offset < log.logStart() || offset > log.logEnd()) {
      share.logStartMoved(log.logStart());
      return new FetchedBatches(NO_RECORDS);
    }
    long end = endOf(log);
    return new FetchedBatches(offset >= end ? NO_RECORDS : log.read(offset, end, bound, isFirst));
  }

  private PartitionData acquire(SharePartition share, FetchedBatches fetched, long mostRecords) {
    PartitionData data = new PartitionData().partitionIndex(share.partition().index()).records(NO_RECORDS);
    if (fetched.isEmpty()) {
      return data;
    }
    long offset = share.nextOffset();
    Acquisition acquisition = new Acquisition(share, new Acquisition.Wish(member.member(),
        request.shareAcquireMode() == 1, request.batchSize(), groups.areThrottling()), fetched);
    List<AcquiredRecords> acquired = acquisition.run(offset, mostRecords);
    if (isCommitted && !acquired.isEmpty()) {
      acquired = acquisition.withoutAborted(acquired,
          share.partition().log().aborted(offset, fetched.last() + 1));
    }
    return acquired.isEmpty()
        ? data
        : data.acquiredRecords(acquired)
            .records(fetched.slice(acquired.getFirst().firstOffset(), acquired.getLast().lastOffset()));
  }
}
