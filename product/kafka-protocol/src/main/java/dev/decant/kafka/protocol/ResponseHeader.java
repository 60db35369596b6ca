package dev.decant.kafka.protocol;

/**
 * The header of a response.
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
   * @param in the response, at its beginning; behind the header afterwards
   * @param api the API of the request
   * @param version the version of the request
   * @return the correlation id
   * @throws dev.decant.buffer.MalformedBytesException if the header is incomplete
   */
  public static int read(ProtocolReader in, ApiKey api, short version) {
    int correlationId = in.readInt();
    if (api.responseHeaderVersion(version) >= 1) {
      in.skipTaggedFields();
    }
    return correlationId;
  }
}
