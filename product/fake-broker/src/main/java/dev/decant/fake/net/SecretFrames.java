package dev.decant.fake.net;

import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ProtocolWriter;
import dev.decant.kafka.protocol.message.SaslAuthenticateRequest;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Removes passwords and tokens from requests for the journal. */
final class SecretFrames {
  /** Bytes of an empty message of a mechanism, in any version. */
  private static final int EMPTY_BODY_BYTES = 16;

  private SecretFrames() {}

  static boolean hasSecret(ApiKey api) {
    return api == ApiKey.SASL_AUTHENTICATE;
  }

  /** Returns the frame for the journal. */
  static byte[] withoutSecret(ApiKey api, short version, byte[] frame, int bodyAt) {
    if (!hasSecret(api)) {
      return frame;
    }
    byte[] kept = Arrays.copyOf(frame, bodyAt + EMPTY_BODY_BYTES);
    ProtocolWriter out = new ProtocolWriter();
    out.wrap(ByteBuffer.wrap(kept), bodyAt, kept.length);
    new SaslAuthenticateRequest().write(out, version);
    return Arrays.copyOf(kept, out.position());
  }
}
