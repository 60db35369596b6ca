package dev.decant.kafka.client;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.cluster.RetriableCall;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.ProtocolWriter;
import dev.decant.kafka.protocol.message.DescribeClusterRequest;
import dev.decant.kafka.protocol.message.DescribeClusterResponse;
import java.util.concurrent.CompletableFuture;

/** An API call that the client itself does not make; this class is all that it needs. */
final class DescribeClusterCall extends RetriableCall {
  final CompletableFuture<DescribeClusterResponse> result = new CompletableFuture<>();
  final CompletableFuture<Boolean> dropped = new CompletableFuture<>();
  private DescribeClusterResponse response = new DescribeClusterResponse();

  DescribeClusterCall() {
    super(ApiKey.DESCRIBE_CLUSTER, 0, 2);
  }

  @Override
  protected boolean isWanted() {
    return !result.isDone();
  }

  @Override
  public void write(ProtocolWriter out, short version) {
    new DescribeClusterRequest().write(out, version);
  }

  @Override
  protected ErrorCode read(ProtocolReader in, short version) {
    response = DescribeClusterResponse.read(in, version);
    throttle(response.throttleTimeMs());
    return ErrorCode.of(response.errorCode());
  }

  @Override
  protected void done() {
    result.complete(response);
  }

  @Override
  protected void failed(KafkaException cause) {
    result.completeExceptionally(cause);
  }

  @Override
  protected void dropped() {
    result.cancel(false);
    dropped.complete(true);
  }
}
