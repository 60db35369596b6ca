package dev.decant.kafka.broker;

import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.ProduceRequest;
import dev.decant.kafka.protocol.message.ProduceResponse;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/** Responses to Produce requests. */
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

  /** Refuses every partition of a request, with any number as its error. */
  public static Script refusal(short code) {
    return exchange -> exchange.answer(refused(exchange.request().produce(), code)::write);
  }

  static ProduceResponse refused(ProduceRequest request, short code) {
    ProduceResponse response = to(request);
    response.responses().forEach(t -> t.partitionResponses().forEach(p -> p.errorCode(code)));
    return response;
  }

  /** Refuses requests with more bytes of records than this, like a broker with a small {@code message.max.bytes}. */
  public static Script refusalAbove(int bytes) {
    return exchange -> {
      boolean small = exchange.request().produce().topicData().stream().flatMap(t -> t.partitionData().stream())
          .allMatch(p -> Objects.requireNonNull(p.records()).remaining() <= bytes);
      (small ? Script.STANDARD : refusal(ErrorCode.MESSAGE_TOO_LARGE)).run(exchange);
    };
  }

  /**
   * Refuses batches with invalid records, and names these (KIP-467), like a broker that validates records.
   *
   * @param isInvalid decides by the text of a record
   */
  public static Script refusalOf(ErrorCode code, Predicate<String> isInvalid) {
    return exchange -> {
      ProduceRequest request = exchange.request().produce();
      ProduceResponse response = refused(request, code.code());
      boolean any = false;
      for (int t = 0; t < request.topicData().size(); t++) {
        ProduceRequest.TopicProduceData topic = request.topicData().get(t);
        for (int p = 0; p < topic.partitionData().size(); p++) {
          List<String> texts = texts(topic.partitionData().get(p));
          List<ProduceResponse.BatchIndexAndErrorMessage> named = IntStream.range(0, texts.size())
              .filter(i -> isInvalid.test(texts.get(i))).mapToObj(i -> new ProduceResponse.BatchIndexAndErrorMessage()
                  .batchIndex(i).batchIndexErrorMessage("invalid: " + texts.get(i)))
              .toList();
          response.responses().get(t).partitionResponses().get(p).recordErrors(named).errorMessage("some are invalid");
          any |= !named.isEmpty();
        }
      }
      if (any) {
        exchange.answer(response::write);
      } else {
        exchange.answer();
      }
    };
  }

  /** Returns the text of each record for a partition. */
  public static List<String> texts(ProduceRequest.PartitionProduceData data) {
    return StoredPartition.texts(Objects.requireNonNull(data.records()));
  }

  /** Stores a batch of an idempotent producer once and in order, any other batch always, and fills the response. */
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
