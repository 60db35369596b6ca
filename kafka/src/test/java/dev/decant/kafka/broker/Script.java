package dev.decant.kafka.broker;

import java.io.IOException;

/** What the broker does with one request; it may well not answer. Runs on the thread of the connection. */
@FunctionalInterface
public interface Script {
  /** Answers as a broker should. */
  Script STANDARD = Exchange::answer;
  /** Reads the request and says nothing. */
  Script SILENCE = exchange -> {};
  /** Ends the connection instead of answering. */
  Script CUT = Exchange::cut;

  void run(Exchange exchange) throws IOException;
}
