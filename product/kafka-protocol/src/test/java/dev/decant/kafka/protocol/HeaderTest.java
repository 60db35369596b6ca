package dev.decant.kafka.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.MessageUtil;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class HeaderTest {

  @ParameterizedTest
  @EnumSource
  void versionsAreApaches(ApiKey api) {
    ApiMessageType theirs = ApiMessageType.fromApiKey(api.id());
    assertThat(theirs.name).isEqualTo(api.label());
    assertThat(theirs).hasToString(api.name());
    assertThat(api.lowestVersion()).isEqualTo(theirs.lowestSupportedVersion());
    assertThat(api.highestVersion()).isEqualTo(theirs.highestSupportedVersion(true));
    assertThat(api.highestStableVersion()).isEqualTo(theirs.highestSupportedVersion(false));
    for (short v = api.lowestVersion(); v <= api.highestVersion(); v++) {
      assertThat(api.requestHeaderVersion(v)).isEqualTo(theirs.requestHeaderVersion(v));
      assertThat(api.responseHeaderVersion(v)).isEqualTo(theirs.responseHeaderVersion(v));
    }
    assertThat(ApiKey.of(api.id())).isSameAs(api);
  }

  @ParameterizedTest
  @EnumSource
  void apacheReadsTheRequestHeader(ApiKey api) {
    for (short v = api.lowestVersion(); v <= api.highestVersion(); v++) {
      ByteBuffer memory = ByteBuffer.allocateDirect(100);
      ProtocolWriter out = new ProtocolWriter(memory, 0, memory.capacity());
      RequestHeader.write(out, api, v, 77, v % 2 == 0 ? "billing" : null);

      memory.limit(out.position());
      RequestHeaderData header = new RequestHeaderData(new ByteBufferAccessor(memory), api.requestHeaderVersion(v));
      assertThat(memory.remaining()).isZero();
      assertThat(header.requestApiKey()).isEqualTo(api.id());
      assertThat(header.requestApiVersion()).isEqualTo(v);
      assertThat(header.correlationId()).isEqualTo(77);
      assertThat(header.clientId()).isEqualTo(v % 2 == 0 ? "billing" : null);
      assertThat(memory.getInt(RequestHeader.CORRELATION_ID_OFFSET)).isEqualTo(77);
    }
  }

  @ParameterizedTest
  @EnumSource
  void weReadApachesResponseHeader(ApiKey api) {
    for (short v = api.lowestVersion(); v <= api.highestVersion(); v++) {
      short headerVersion = api.responseHeaderVersion(v);
      ByteBuffer bytes = MessageUtil.toByteBufferAccessor(new ResponseHeaderData().setCorrelationId(78), headerVersion)
          .buffer();
      ProtocolReader in = new ProtocolReader(bytes, 0, bytes.limit());
      assertThat(ResponseHeader.read(in, api, v)).isEqualTo(78);
      assertThat(in.remaining()).isZero();
    }
  }
}
