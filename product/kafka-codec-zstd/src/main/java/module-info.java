/** Record batches compressed with Zstandard. */
module dev.decant.kafka.codec.zstd {
  requires dev.decant.kafka;
  requires com.github.luben.zstd_jni;
  requires static org.jspecify;

  provides dev.decant.kafka.compression.CompressionCodec with dev.decant.kafka.codec.zstd.ZstdCodec;
}
