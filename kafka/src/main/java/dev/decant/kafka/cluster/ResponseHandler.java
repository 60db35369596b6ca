package dev.decant.kafka.cluster;

import dev.decant.buffer.PooledBuffer;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.protocol.ProtocolReader;
import org.jspecify.annotations.Nullable;

/** Takes the answer to a request, on the owner of the loop; exactly one of the methods is called, once. */
public interface ResponseHandler {
  /**
   * The answer has arrived.
   *
   * @param in the body, valid during the call or for as long as {@code lease} is retained
   * @param version the version of the request
   * @param lease memory of a large response, null for a small one that lies in the receive buffer
   */
  void onResponse(ProtocolReader in, short version, @Nullable PooledBuffer lease);

  /**
   * There will be no answer: the connection ended, the request timed out or could not be written.
   *
   * @param cause stage, broker, cause
   */
  void onFailure(KafkaException cause);
}
