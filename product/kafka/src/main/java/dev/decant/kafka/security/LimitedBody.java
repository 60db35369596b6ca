package dev.decant.kafka.security;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** Collects the body of a response up to a limit. The JDK's {@code BodyHandlers.limiting} is newer than Java 21. */
final class LimitedBody implements BodySubscriber<byte[]> {
  /** The body is longer than the limit. */
  static final class TooLongException extends IOException {
    private static final long serialVersionUID = 1L;

    private TooLongException(int mostBytes) {
      super("a body of more than " + mostBytes + " bytes");
    }
  }

  private final BodySubscriber<byte[]> body = BodySubscribers.ofByteArray();
  private final int mostBytes;
  /** Calls of a subscriber come one after another, so these fields need no lock. */
  private Flow.@Nullable Subscription subscription;
  private long receivedBytes;
  private boolean tooLong;

  LimitedBody(int mostBytes) {
    this.mostBytes = mostBytes;
  }

  @Override
  public void onSubscribe(Flow.Subscription begun) {
    subscription = begun;
    body.onSubscribe(begun);
  }

  @Override
  public void onNext(List<ByteBuffer> buffers) {
    for (ByteBuffer buffer : buffers) {
      receivedBytes += buffer.remaining();
    }
    if (tooLong) {
      return; // buffers may still come after the subscription was cancelled
    }
    if (receivedBytes > mostBytes) {
      tooLong = true;
      requireNonNull(subscription).cancel();
      body.onError(new TooLongException(mostBytes));
      return;
    }
    body.onNext(buffers);
  }

  @Override
  public void onError(Throwable failure) {
    if (!tooLong) {
      body.onError(failure);
    }
  }

  @Override
  public void onComplete() {
    if (!tooLong) {
      body.onComplete();
    }
  }

  @Override
  public CompletionStage<byte[]> getBody() {
    return body.getBody();
  }
}
