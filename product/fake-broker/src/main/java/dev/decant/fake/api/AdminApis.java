package dev.decant.fake.api;

import dev.decant.fake.cluster.Cluster;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.message.AlterConfigsRequest;
import dev.decant.kafka.protocol.message.AlterConfigsResponse;
import dev.decant.kafka.protocol.message.AlterPartitionReassignmentsRequest;
import dev.decant.kafka.protocol.message.AlterPartitionReassignmentsResponse;
import dev.decant.kafka.protocol.message.CreatePartitionsRequest;
import dev.decant.kafka.protocol.message.CreatePartitionsResponse;
import dev.decant.kafka.protocol.message.CreateTopicsRequest;
import dev.decant.kafka.protocol.message.CreateTopicsResponse;
import dev.decant.kafka.protocol.message.DeleteRecordsRequest;
import dev.decant.kafka.protocol.message.DeleteRecordsResponse;
import dev.decant.kafka.protocol.message.DeleteTopicsRequest;
import dev.decant.kafka.protocol.message.DeleteTopicsResponse;
import dev.decant.kafka.protocol.message.DescribeConfigsRequest;
import dev.decant.kafka.protocol.message.DescribeConfigsResponse;
import dev.decant.kafka.protocol.message.DescribeLogDirsRequest;
import dev.decant.kafka.protocol.message.DescribeLogDirsResponse;
import dev.decant.kafka.protocol.message.IncrementalAlterConfigsRequest;
import dev.decant.kafka.protocol.message.IncrementalAlterConfigsResponse;
import dev.decant.kafka.protocol.message.ListPartitionReassignmentsRequest;
import dev.decant.kafka.protocol.message.ListPartitionReassignmentsResponse;
import java.util.EnumSet;
import java.util.Set;

/** The APIs with which administrators change and describe topics, records and configs. */
final class AdminApis {
  private static final Set<ApiKey> KEYS = EnumSet.of(ApiKey.CREATE_TOPICS, ApiKey.DELETE_TOPICS,
      ApiKey.CREATE_PARTITIONS, ApiKey.DELETE_RECORDS, ApiKey.DESCRIBE_CONFIGS, ApiKey.INCREMENTAL_ALTER_CONFIGS,
      ApiKey.ALTER_CONFIGS, ApiKey.DESCRIBE_LOG_DIRS, ApiKey.ALTER_PARTITION_REASSIGNMENTS,
      ApiKey.LIST_PARTITION_REASSIGNMENTS);

  private AdminApis() {}

  static void addTo(ApiTable apis, Cluster cluster) {
    apis.addLater(KEYS, () -> addNow(apis, cluster));
  }

  private static void addNow(ApiTable apis, Cluster cluster) {
    apis.add(ApiKey.CREATE_TOPICS, CreateTopicsRequest::read, CreateTopicsResponse::write,
        CreateTopicsResponse::throttleTimeMs, new CreateTopicsHandler(cluster));
    apis.add(ApiKey.DELETE_TOPICS, DeleteTopicsRequest::read, DeleteTopicsResponse::write,
        DeleteTopicsResponse::throttleTimeMs, new DeleteTopicsHandler(cluster));
    apis.add(ApiKey.CREATE_PARTITIONS, CreatePartitionsRequest::read, CreatePartitionsResponse::write,
        CreatePartitionsResponse::throttleTimeMs, new CreatePartitionsHandler(cluster));
    apis.add(ApiKey.DELETE_RECORDS, DeleteRecordsRequest::read, DeleteRecordsResponse::write,
        DeleteRecordsResponse::throttleTimeMs, new DeleteRecordsHandler(cluster));
    apis.add(ApiKey.DESCRIBE_CONFIGS, DescribeConfigsRequest::read, DescribeConfigsResponse::write,
        DescribeConfigsResponse::throttleTimeMs, new DescribeConfigsHandler(cluster));
    IncrementalAlterConfigsHandler alteration = new IncrementalAlterConfigsHandler(cluster);
    apis.add(ApiKey.INCREMENTAL_ALTER_CONFIGS, IncrementalAlterConfigsRequest::read,
        IncrementalAlterConfigsResponse::write, IncrementalAlterConfigsResponse::throttleTimeMs, alteration);
    apis.add(ApiKey.ALTER_CONFIGS, AlterConfigsRequest::read, AlterConfigsResponse::write,
        AlterConfigsResponse::throttleTimeMs, new AlterConfigsHandler(cluster, alteration));
    apis.add(ApiKey.DESCRIBE_LOG_DIRS, DescribeLogDirsRequest::read, DescribeLogDirsResponse::write,
        DescribeLogDirsResponse::throttleTimeMs, new DescribeLogDirsHandler(cluster));
    apis.add(ApiKey.ALTER_PARTITION_REASSIGNMENTS, AlterPartitionReassignmentsRequest::read,
        AlterPartitionReassignmentsResponse::write, AlterPartitionReassignmentsResponse::throttleTimeMs,
        new AlterPartitionReassignmentsHandler(cluster));
    apis.add(ApiKey.LIST_PARTITION_REASSIGNMENTS, ListPartitionReassignmentsRequest::read,
        ListPartitionReassignmentsResponse::write, ListPartitionReassignmentsResponse::throttleTimeMs,
        new ListPartitionReassignmentsHandler(cluster));
  }
}
