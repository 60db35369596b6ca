package dev.decant.kafka.apache;

import java.util.concurrent.atomic.LongAdder;

/** What is counted of one topic, or of all together. Any thread. */
final class TopicFigures {
  final LongAdder records = new LongAdder();
  final LongAdder bytes = new LongAdder();
  final LongAdder retries = new LongAdder();
  final LongAdder errors = new LongAdder();
}
