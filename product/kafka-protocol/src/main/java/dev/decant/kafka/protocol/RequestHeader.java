package dev.decant.kafka.protocol;

import org.jspecify.annotations.Nullable;

/**
 * The header of a request.
 *
 * <pre>
 * API key int16 | API version int16 | correlation id int32 | client id nullable string | tagged fields, in v2 only
 * </pre>
 *
 * <p>The client id has the old form, with an int16 length, even in flexible versions: a broker must find it before it
 * knows the version (KIP-482).
 */
public final class RequestHeader {
  /** Index of the correlation id within the header. */
  public static final int CORRELATION_ID_OFFSET = 4;

  private RequestHeader() {}

  /**
   * Writes a header.
   *
   * @param out the target
   * @param api the API
   * @param version the request's version
   * @param correlationId the number that the response will repeat
   * @param clientId the client's name in the broker's logs, metrics and quotas
   */
  public static void write(ProtocolWriter out, ApiKey api, short version, int correlationId,
      @Nullable String clientId) {
    out.writeShort(api.id());
    out.writeShort(version);
    out.writeInt(correlationId);
    out.writeNullableString(clientId);
    if (api.requestHeaderVersion(version) >= 2) {
      out.writeUnsignedVarint(0);
    }
  }
}
