package dev.decant.fake.api;

import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.Partition;
import dev.decant.fake.cluster.Topic;
import dev.decant.fake.log.PartitionLog;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.DescribeLogDirsRequest;
import dev.decant.kafka.protocol.message.DescribeLogDirsRequest.DescribableLogDirTopic;
import dev.decant.kafka.protocol.message.DescribeLogDirsResponse;
import dev.decant.kafka.protocol.message.DescribeLogDirsResponse.DescribeLogDirsPartition;
import dev.decant.kafka.protocol.message.DescribeLogDirsResponse.DescribeLogDirsResult;
import dev.decant.kafka.protocol.message.DescribeLogDirsResponse.DescribeLogDirsTopic;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** DescribeLogDirs: returns one directory of each broker, with the sizes of its partitions (KIP-113). */
final class DescribeLogDirsHandler implements ApiHandler<DescribeLogDirsRequest, DescribeLogDirsResponse> {
  /** Size of the disk in responses: a fixed size for tests, since there is no disk. */
  private static final long DISK_BYTES = 1L << 40;

  private final Cluster cluster;

  DescribeLogDirsHandler(Cluster cluster) {
    this.cluster = cluster;
  }

  @Override
  public void handle(DescribeLogDirsRequest request, RequestContext context, Reply<DescribeLogDirsResponse> reply) {
    int broker = context.broker().id();
    DescribeLogDirsResult dir = new DescribeLogDirsResult().logDir("/fake/broker-" + broker);
    if (context.broker().isLogDirOffline()) {
      reply.complete(new DescribeLogDirsResponse()
          .results(List.of(dir.errorCode(ErrorCode.KAFKA_STORAGE_ERROR.code()))));
      return;
    }
    List<DescribeLogDirsTopic> topics = new ArrayList<>();
    for (Topic topic : cluster.topics().all()) {
      List<DescribeLogDirsPartition> partitions = topic.partitions().stream()
          .filter(p -> p.replicas().contains(broker) && isWanted(request, p)).map(p -> described(p, broker)).toList();
      if (!partitions.isEmpty()) {
        topics.add(new DescribeLogDirsTopic().name(topic.name()).partitions(partitions));
      }
    }
    reply.complete(new DescribeLogDirsResponse().results(List.of(dir.topics(topics).totalBytes(DISK_BYTES)
        .usableBytes(context.broker().isDiskFull() ? 0 : DISK_BYTES))));
  }

  private static boolean isWanted(DescribeLogDirsRequest request, Partition partition) {
    List<DescribableLogDirTopic> wanted = request.topics();
    return wanted == null || wanted.stream().anyMatch(
        t -> t.topic().equals(partition.topic().name()) && t.partitions().contains(partition.index()));
  }

  private static DescribeLogDirsPartition described(Partition partition, int broker) {
    DescribeLogDirsPartition described = new DescribeLogDirsPartition().partitionIndex(partition.index());
    PartitionLog log = partition.usedLog();
    if (log == null) {
      return described;
    }
    boolean isFollower = partition.leader() != broker;
    return described.partitionSize(log.size()).offsetLag(isFollower ? log.logEnd() - log.highWatermark() : 0);
  }

  @Override
  public DescribeLogDirsResponse refuse(DescribeLogDirsRequest request, RequestContext context, ErrorCode error) {
    return context.version() >= 3
        ? new DescribeLogDirsResponse().errorCode(error.code())
        : new DescribeLogDirsResponse().results(List.of(new DescribeLogDirsResult().errorCode(error.code())));
  }

  @Override
  public Collection<String> topics(DescribeLogDirsRequest request, Cluster ofTopics) {
    List<DescribableLogDirTopic> wanted = request.topics();
    return wanted == null ? List.of() : wanted.stream().map(DescribableLogDirTopic::topic).toList();
  }
}
