package dev.decant.kafka.protocol;

/**
 * What stands in front of a response.
 *
 * <pre>
 * correlation id int32 | tagged fields, in v1 only
 * </pre>
 */
public final class ResponseHeader {
  private ResponseHeader() {}

  /**
   * Reads a header.
   *
   * @param in the response, at its begin; stands behind the header afterwards
   * @param api the API that was asked
   * @param version the version that was asked
   * @return the correlation id
   * @throws dev.decant.buffer.MalformedBytesException if the header is not whole
   */
  public static int read(ProtocolReader in, ApiKey api, short version) {
    int correlationId = in.readInt();
    if (api.responseHeaderVersion(version) >= 1) {
      in.skipTaggedFields();
    }
    return correlationId;
  }
}
