package dev.decant.kafka.apache;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.RecordMetadata;

/** The future of a record that was not accepted. Immutable. */
final class FailedSend implements Future<RecordMetadata> {
  private final ExecutionException failure;

  FailedSend(Exception cause) {
    this.failure = new ExecutionException(cause);
  }

  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    return false;
  }

  @Override
  public boolean isCancelled() {
    return false;
  }

  @Override
  public boolean isDone() {
    return true;
  }

  @Override
  public RecordMetadata get() throws ExecutionException {
    throw failure;
  }

  @Override
  public RecordMetadata get(long timeout, TimeUnit unit) throws ExecutionException {
    throw failure;
  }
}
