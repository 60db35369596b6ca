package dev.decant.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.agent.asm.ClassWriter;
import dev.decant.agent.asm.MethodVisitor;
import dev.decant.agent.asm.Opcodes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A future release of kafka-clients may lack members that Decant calls. */
class KafkaMembersTest {
  private static final String PARTITION = "org/apache/kafka/common/TopicPartition";

  private static String missing(int opcode, String owner, String name, String descriptor) {
    ClassWriter type = new ClassWriter(0);
    type.visit(Opcodes.V21, Opcodes.ACC_PUBLIC, "Caller", null, "java/lang/Object", null);
    MethodVisitor code = type.visitMethod(Opcodes.ACC_STATIC, "call", "()V", null, null);
    code.visitCode();
    if (descriptor.startsWith("(")) {
      code.visitMethodInsn(opcode, owner, name, descriptor, opcode == Opcodes.INVOKEINTERFACE);
    } else {
      code.visitFieldInsn(opcode, owner, name, descriptor);
    }
    code.visitMaxs(0, 0);
    code.visitEnd();
    type.visitEnd();
    return new KafkaMembers(KafkaMembersTest.class.getClassLoader(), ApacheClass.PUBLISHED).missing(type.toByteArray());
  }

  @ParameterizedTest
  @CsvSource({PARTITION + ",<init>,(Ljava/lang/String;I)V", PARTITION + ",topic,()Ljava/lang/String;",
      PARTITION + ",hashCode,()I", "org/apache/kafka/common/Uuid,randomUuid,()Lorg/apache/kafka/common/Uuid;",
      "org/apache/kafka/clients/producer/Producer,flush,()V", "org/apache/kafka/clients/producer/Producer,close,()V",
      "org/apache/kafka/common/config/ConfigDef$ConfigKey,name,Ljava/lang/String;", "other/Owner,gone,()V",
      "org/apache/kafka/clients/CommonClientConfigs,CLIENT_ID_CONFIG,Ljava/lang/String;"})
  void memberThatIsThereIsFound(String owner, String name, String descriptor) {
    assertThat(missing(Opcodes.INVOKESTATIC, owner, name, descriptor)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({PARTITION + ",<init>,()V", PARTITION + ",topics,()Ljava/lang/String;", PARTITION + ",topic,()I",
      "org/apache/kafka/common/Gone,a,()V", PARTITION + ",a,(Lorg/apache/kafka/common/Gone;)V",
      "org/apache/kafka/clients/CommonClientConfigs,GONE,Ljava/lang/String;"})
  void memberThatIsMissingIsNamed(String owner, String name, String descriptor) {
    assertThat(missing(Opcodes.INVOKESTATIC, owner, name, descriptor))
        .isEqualTo(owner.replace('/', '.') + "." + name + descriptor);
  }

  @Test
  void classWithoutMembersOfKafkaHasAll() {
    assertThat(missing(Opcodes.GETSTATIC, "java/lang/System", "gone", "I")).isEmpty();
  }
}
