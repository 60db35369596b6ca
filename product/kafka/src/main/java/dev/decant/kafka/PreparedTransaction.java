package dev.decant.kafka;

/**
 * Names a transaction whose records are all stored and whose end is still open. Any process can commit or abort it. An
 * application stores it with its own checkpoint, for example as these three values.
 *
 * @param transactionalId Kafka's {@code transactional.id} under which the records were written
 * @param producerId of the producer that wrote them
 * @param epoch of that producer
 */
public record PreparedTransaction(String transactionalId, long producerId, short epoch) {

  /** Checks that the id is not blank and the numbers are not negative. */
  public PreparedTransaction {
    if (transactionalId.isBlank()) {
      throw new IllegalArgumentException("transactional.id: the name is empty");
    }
    if (producerId < 0 || epoch < 0) {
      throw new IllegalArgumentException("transactional id " + transactionalId + ": no transaction has producer id "
          + producerId + " with epoch " + epoch);
    }
  }
}
