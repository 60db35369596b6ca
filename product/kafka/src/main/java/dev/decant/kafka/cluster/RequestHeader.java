package dev.decant.kafka.cluster;

import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ProtocolWriter;
import java.nio.charset.StandardCharsets;

/**
 * The header of the request that is being written: v2 for flexible versions, otherwise v1. The client id is an int16
 * string in both. Each request reuses it. Owner of the loop only.
 */
public final class RequestHeader {
  private final byte[] clientId;
  private ApiKey api = ApiKey.API_VERSIONS;
  private short version;
  private int correlationId;

  RequestHeader(String clientId) {
    this.clientId = clientId.getBytes(StandardCharsets.UTF_8);
  }

  RequestHeader of(ApiKey nextApi, short nextVersion, int nextCorrelationId) {
    api = nextApi;
    version = nextVersion;
    correlationId = nextCorrelationId;
    return this;
  }

  /** Writes the header. */
  public void write(ProtocolWriter out) {
    out.writeShort(api.id());
    out.writeShort(version);
    out.writeInt(correlationId);
    out.writeShort(clientId.length);
    out.writeBytes(clientId, 0, clientId.length);
    if (api.isFlexible(version)) {
      out.writeByte(0);
    }
  }
}
