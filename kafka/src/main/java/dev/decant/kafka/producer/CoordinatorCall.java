package dev.decant.kafka.producer;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.ProtocolWriter;

/**
 * A request to a coordinator that is repeated until it is answered with something final. All its versions are flexible.
 * Owner of the loop only.
 */
abstract class CoordinatorCall {
  final short apiKey;
  final String name;
  private final int lowestVersion;
  private final int highestVersion;
  /** How often it was sent. */
  int attempts;
  /** A request of it went unanswered: it may have been carried out. */
  boolean uncertain;

  CoordinatorCall(short apiKey, String name, int lowestVersion, int highestVersion) {
    this.apiKey = apiKey;
    this.name = name;
    this.lowestVersion = lowestVersion;
    this.highestVersion = highestVersion;
  }

  int lowestVersion() {
    return lowestVersion;
  }

  int highestVersion() {
    return highestVersion;
  }

  /** Asked before each attempt; one that is not wanted any more is dropped. */
  boolean isWanted() {
    return true;
  }

  /** When it may be sent, if not now; the lane is pumped if it may earlier. Asked before each attempt. */
  long turn(long nowNanos) {
    return nowNanos;
  }

  /** Writes the body; before each attempt. */
  abstract void write(ProtocolWriter out, short version);

  /** Reads the whole answer and keeps what it needs of it; changes nothing else, as the bytes may be hostile. */
  abstract ErrorCode read(ProtocolReader in, short version);

  /** The answer that was read is good. */
  abstract void done();

  /** An attempt was in vain; another one follows after a pause. */
  void paused() {}

  /** It cannot succeed. */
  abstract void failed(KafkaException cause);

  /** It was not wanted any more, and will not be sent again. */
  void dropped() {}
}
