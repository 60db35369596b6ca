package dev.decant.kafka.broker;

import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.ProduceRequest;
import dev.decant.kafka.protocol.message.ProduceResponse;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Answers to Produce requests. */
public final class ProduceResponses {
  private ProduceResponses() {}

  /** Names each partition of the request, without an error and without an offset. */
  public static ProduceResponse to(ProduceRequest request) {
    List<ProduceResponse.TopicProduceResponse> topics = new ArrayList<>();
    for (ProduceRequest.TopicProduceData topic : request.topicData()) {
      List<ProduceResponse.PartitionProduceResponse> partitions = new ArrayList<>();
      for (ProduceRequest.PartitionProduceData data : topic.partitionData()) {
        partitions.add(new ProduceResponse.PartitionProduceResponse().index(data.index()).baseOffset(-1)
            .logAppendTimeMs(-1).logStartOffset(0).recordErrors(List.of()).errorMessage(null));
      }
      topics.add(new ProduceResponse.TopicProduceResponse().name(topic.name()).topicId(topic.topicId())
          .partitionResponses(partitions));
    }
    return new ProduceResponse().responses(topics);
  }

  /** Refuses every partition of a request. */
  public static Script refusal(ErrorCode code) {
    return refusal(code.code());
  }

  /** Refuses every partition of a request, with any number for an error. */
  public static Script refusal(short code) {
    return exchange -> exchange.answer(refused(exchange.request().produce(), code)::write);
  }

  static ProduceResponse refused(ProduceRequest request, short code) {
    ProduceResponse response = to(request);
    response.responses().forEach(t -> t.partitionResponses().forEach(p -> p.errorCode(code)));
    return response;
  }

  /** Refuses requests of more than so many bytes of records, as a broker with a small {@code message.max.bytes}. */
  public static Script refusalAbove(int bytes) {
    return exchange -> {
      boolean small = exchange.request().produce().topicData().stream().flatMap(t -> t.partitionData().stream())
          .allMatch(p -> Objects.requireNonNull(p.records()).remaining() <= bytes);
      (small ? Script.STANDARD : refusal(ErrorCode.MESSAGE_TOO_LARGE)).run(exchange);
    };
  }

  /** Stores a batch of an idempotent producer once and in order, any other one always, and says so. */
  static void store(ProduceResponse response, int index, StoredPartition partition, ByteBuffer batch) {
    ProduceResponse.PartitionProduceResponse answer = response.responses().stream()
        .flatMap(t -> t.partitionResponses().stream()).filter(p -> p.index() == index).findFirst().orElseThrow();
    ErrorCode wrong = partition.check(batch);
    answer.errorCode(wrong.code());
    if (wrong == ErrorCode.NONE) {
      answer.baseOffset(partition.append(batch));
    }
  }
}
