package dev.decant.kafka.broker;

import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.ProduceRequest;
import dev.decant.kafka.protocol.message.ProduceResponse;
import dev.decant.kafka.record.RecordBatchHeader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Answers to Produce requests. */
public final class ProduceAnswers {
  private ProduceAnswers() {}

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
    return exchange -> {
      ProduceResponse response = to(exchange.request().produce());
      response.responses().forEach(t -> t.partitionResponses().forEach(p -> p.errorCode(code)));
      exchange.answer(response::write);
    };
  }

  /** Stores a batch of an idempotent producer once and in order, any other one always, and says so. */
  static void store(ProduceResponse response, int index, StoredPartition partition, ByteBuffer batch) {
    ProduceResponse.PartitionProduceResponse answer = response.responses().stream()
        .flatMap(t -> t.partitionResponses().stream()).filter(p -> p.index() == index).findFirst().orElseThrow();
    long producerId = batch.getLong(batch.position() + RecordBatchHeader.PRODUCER_ID);
    int sequence = batch.getInt(batch.position() + RecordBatchHeader.BASE_SEQUENCE);
    if (producerId >= 0 && sequence < partition.nextSequence(producerId)) {
      answer.errorCode(ErrorCode.DUPLICATE_SEQUENCE_NUMBER.code());
    } else if (producerId >= 0 && sequence > partition.nextSequence(producerId)) {
      answer.errorCode(ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER.code());
    } else {
      answer.baseOffset(partition.append(batch));
    }
  }
}
