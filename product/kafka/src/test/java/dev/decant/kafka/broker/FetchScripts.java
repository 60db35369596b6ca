package dev.decant.kafka.broker;

import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.FetchRequest;
import dev.decant.kafka.protocol.message.FetchResponse;
import dev.decant.kafka.protocol.message.OffsetForLeaderEpochRequest;
import dev.decant.kafka.protocol.message.OffsetForLeaderEpochResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Responses to fetches, and to requests that go with them, of a broker in trouble. */
public final class FetchScripts {
  private FetchScripts() {}

  /** Responds outside of any session; the test fills the data of each partition in the request. */
  public static Script saying(Consumer<FetchResponse.PartitionData> of) {
    return exchange -> exchange.answer(of(exchange.request().fetch(), of)::write);
  }

  /** Makes that response, to be changed further. */
  public static FetchResponse of(FetchRequest request, Consumer<FetchResponse.PartitionData> of) {
    List<FetchResponse.FetchableTopicResponse> topics = new ArrayList<>();
    for (FetchRequest.FetchTopic topic : request.topics()) {
      List<FetchResponse.PartitionData> partitions = new ArrayList<>();
      for (FetchRequest.FetchPartition p : topic.partitions()) {
        FetchResponse.PartitionData data = new FetchResponse.PartitionData().partitionIndex(p.partition())
            .abortedTransactions(null).preferredReadReplica(-1);
        of.accept(data);
        partitions.add(data);
      }
      topics.add(new FetchResponse.FetchableTopicResponse().topicId(topic.topicId()).topic(topic.topic())
          .partitions(partitions));
    }
    return new FetchResponse().responses(topics);
  }

  /** Refuses every partition in the request. */
  public static Script refusal(ErrorCode code) {
    return saying(p -> p.errorCode(code.code()));
  }

  /** Refuses every partition in the request, and names the present leader and its address (KIP-951). */
  public static Script movedTo(int node, int epoch, String address) {
    int colon = address.indexOf(':');
    return exchange -> {
      FetchResponse response = of(exchange.request().fetch(),
          p -> p.errorCode(ErrorCode.NOT_LEADER_OR_FOLLOWER.code())
              .currentLeader(new FetchResponse.LeaderIdAndEpoch().leaderId(node).leaderEpoch(epoch)))
          .nodeEndpoints(List.of(new FetchResponse.NodeEndpoint().nodeId(node).host(address.substring(0, colon))
              .port(Integer.parseInt(address.substring(colon + 1)))));
      exchange.answer(response::write);
    };
  }

  /** Refers the reader of every partition in the request to another node, while it sends its rack (KIP-392). */
  public static Script readFrom(int node) {
    return exchange -> {
      if (exchange.request().fetch().rackId().isEmpty()) {
        exchange.answer();
      } else {
        exchange.answer(of(exchange.request().fetch(), p -> p.preferredReadReplica(node))::write);
      }
    };
  }

  /** Names the end of the log for the epoch in the request. */
  public static OffsetForLeaderEpochResponse epochEnds(OffsetForLeaderEpochRequest request, ErrorCode code,
      long end) {
    List<OffsetForLeaderEpochResponse.OffsetForLeaderTopicResult> topics = new ArrayList<>();
    for (OffsetForLeaderEpochRequest.OffsetForLeaderTopic topic : request.topics()) {
      topics.add(new OffsetForLeaderEpochResponse.OffsetForLeaderTopicResult().topic(topic.topic()).partitions(
          topic.partitions().stream().map(p -> new OffsetForLeaderEpochResponse.EpochEndOffset()
              .partition(p.partition()).errorCode(code.code()).leaderEpoch(p.leaderEpoch()).endOffset(end)).toList()));
    }
    return new OffsetForLeaderEpochResponse().topics(topics);
  }
}
