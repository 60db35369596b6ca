package dev.decant.kafka.broker;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Handles one request, with or without a response. Runs on the thread of the connection. */
@FunctionalInterface
public interface Script {
  /** Responds as a broker should. */
  Script STANDARD = Exchange::answer;
  /** Reads the request and does not respond. */
  Script SILENCE = exchange -> {};
  /** Ends the connection instead of responding. */
  Script CUT = Exchange::cut;

  void run(Exchange exchange) throws IOException;

  /** Waits, with a bound, until the test permits to continue. */
  static Script after(CountDownLatch permission, Script then) {
    return exchange -> {
      try {
        if (!permission.await(20, TimeUnit.SECONDS)) {
          throw new IOException("the test did not let the script go on");
        }
      } catch (InterruptedException e) {
        throw new InterruptedIOException(e.toString());
      }
      then.run(exchange);
    };
  }

  /** Responds as a broker should, after a while, or at once when the broker is stopped. */
  static Script late(Duration by) {
    return exchange -> {
      try {
        exchange.delay(by);
      } catch (InterruptedException e) {
        throw new InterruptedIOException(e.toString());
      }
      exchange.answer();
    };
  }
}
