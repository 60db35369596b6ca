package dev.decant.fake.api;

import dev.decant.fake.cluster.Broker;
import dev.decant.fake.cluster.Cluster;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.DescribeClusterRequest;
import dev.decant.kafka.protocol.message.DescribeClusterResponse;
import dev.decant.kafka.protocol.message.DescribeClusterResponse.DescribeClusterBroker;
import java.util.Collection;
import java.util.List;

/** DescribeCluster: returns the brokers and the cluster's id (KIP-700). */
final class DescribeClusterHandler implements ApiHandler<DescribeClusterRequest, DescribeClusterResponse> {
  private static final byte BROKERS = 1;

  private final Cluster cluster;

  DescribeClusterHandler(Cluster cluster) {
    this.cluster = cluster;
  }

  @Override
  public void handle(DescribeClusterRequest request, RequestContext context, Reply<DescribeClusterResponse> reply) {
    if (request.endpointType() != BROKERS) {
      reply.complete(refuse(request, context, ErrorCode.MISMATCHED_ENDPOINT_TYPE)
          .errorMessage("The request was sent to an endpoint of the wrong type."));
      return;
    }
    Collection<Broker> wanted = request.includeFencedBrokers() ? cluster.brokers() : cluster.living();
    List<DescribeClusterBroker> brokers = wanted.stream().map(b -> new DescribeClusterBroker().brokerId(b.id())
        .host(b.host()).port(b.port()).rack(b.rack()).isFenced(!b.isAlive())).toList();
    DescribeClusterResponse response = new DescribeClusterResponse().clusterId(cluster.id())
        .controllerId(cluster.controller()).brokers(brokers);
    if (request.includeClusterAuthorizedOperations()) {
      response.clusterAuthorizedOperations(Operations.OF_CLUSTER);
    }
    reply.complete(response);
  }

  @Override
  public DescribeClusterResponse refuse(DescribeClusterRequest request, RequestContext context, ErrorCode error) {
    return new DescribeClusterResponse().errorCode(error.code());
  }
}
