package dev.decant.fake.api;

import dev.decant.fake.cluster.Cluster;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.message.ApiVersionsRequest;
import dev.decant.kafka.protocol.message.ApiVersionsResponse;
import dev.decant.kafka.protocol.message.DescribeClusterRequest;
import dev.decant.kafka.protocol.message.DescribeClusterResponse;
import dev.decant.kafka.protocol.message.FetchRequest;
import dev.decant.kafka.protocol.message.FetchResponse;
import dev.decant.kafka.protocol.message.FindCoordinatorRequest;
import dev.decant.kafka.protocol.message.FindCoordinatorResponse;
import dev.decant.kafka.protocol.message.InitProducerIdRequest;
import dev.decant.kafka.protocol.message.InitProducerIdResponse;
import dev.decant.kafka.protocol.message.ListOffsetsRequest;
import dev.decant.kafka.protocol.message.ListOffsetsResponse;
import dev.decant.kafka.protocol.message.MetadataRequest;
import dev.decant.kafka.protocol.message.MetadataResponse;
import dev.decant.kafka.protocol.message.OffsetForLeaderEpochRequest;
import dev.decant.kafka.protocol.message.OffsetForLeaderEpochResponse;
import dev.decant.kafka.protocol.message.ProduceRequest;
import dev.decant.kafka.protocol.message.ProduceResponse;
import java.util.EnumSet;

/**
 * The APIs of records and metadata. Groups and transactions have their own lists, which {@code FakeCluster} adds to the
 * same table: an API that is added again has the later handler. Most APIs are added at their first request, because the
 * classes of their messages are a large part of the start of a JVM's first cluster.
 */
public final class StandardApis {
  private StandardApis() {}

  /** Returns all APIs of a cluster, each with its own handler. */
  public static ApiTable of(Cluster cluster) {
    ApiTable apis = new ApiTable(cluster.release());
    apis.add(ApiKey.API_VERSIONS, ApiVersionsRequest::read, ApiVersionsResponse::write,
        ApiVersionsResponse::throttleTimeMs, new ApiVersionsHandler(cluster, apis));
    apis.add(ApiKey.METADATA, MetadataRequest::read, MetadataResponse::write, MetadataResponse::throttleTimeMs,
        new MetadataHandler(cluster));
    apis.addLater(EnumSet.of(ApiKey.DESCRIBE_CLUSTER), () -> apis.add(ApiKey.DESCRIBE_CLUSTER,
        DescribeClusterRequest::read, DescribeClusterResponse::write, DescribeClusterResponse::throttleTimeMs,
        new DescribeClusterHandler(cluster)));
    apis.addLater(EnumSet.of(ApiKey.PRODUCE), () -> apis.add(ApiKey.PRODUCE,
        ProduceRequest::read, ProduceResponse::write, ProduceResponse::throttleTimeMs, new ProduceHandler(cluster)));
    apis.addLater(EnumSet.of(ApiKey.FETCH), () -> apis.add(ApiKey.FETCH,
        FetchRequest::read, FetchResponse::write, FetchResponse::throttleTimeMs, new FetchHandler(cluster)));
    apis.addLater(EnumSet.of(ApiKey.LIST_OFFSETS), () -> apis.add(ApiKey.LIST_OFFSETS,
        ListOffsetsRequest::read, ListOffsetsResponse::write, ListOffsetsResponse::throttleTimeMs,
        new ListOffsetsHandler(cluster)));
    apis.addLater(EnumSet.of(ApiKey.INIT_PRODUCER_ID), () -> apis.add(ApiKey.INIT_PRODUCER_ID,
        InitProducerIdRequest::read, InitProducerIdResponse::write, InitProducerIdResponse::throttleTimeMs,
        new InitProducerIdHandler(cluster)));
    apis.addLater(EnumSet.of(ApiKey.FIND_COORDINATOR), () -> apis.add(ApiKey.FIND_COORDINATOR,
        FindCoordinatorRequest::read, FindCoordinatorResponse::write, FindCoordinatorResponse::throttleTimeMs,
        new FindCoordinatorHandler(cluster)));
    apis.addLater(EnumSet.of(ApiKey.OFFSET_FOR_LEADER_EPOCH), () -> apis.add(ApiKey.OFFSET_FOR_LEADER_EPOCH,
        OffsetForLeaderEpochRequest::read, OffsetForLeaderEpochResponse::write,
        OffsetForLeaderEpochResponse::throttleTimeMs, new OffsetForLeaderEpochHandler(cluster)));
    AdminApis.addTo(apis, cluster);
    return apis;
  }
}
