/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables of the elementary functions: each entry is the double nearest to the
 * value that math_private.h names, and each word of 2/pi its binary digits.
 * tests/ir/num/test_num_math_internal.c recomputes all of them with MPFR. The
 * steps are chosen so that the rest of an argument is small enough for the
 * Taylor series in the files beside this one.
 */
#include "ir/num/math_private.h"

// clang-format off
const double math_exp2_table[64] = {
    0x1p0, 0x1.02c9a3e778061p0, 0x1.059b0d3158574p0, 0x1.0874518759bc8p0,
    0x1.0b5586cf9890fp0, 0x1.0e3ec32d3d1a2p0, 0x1.11301d0125b51p0,
    0x1.1429aaea92dep0, 0x1.172b83c7d517bp0, 0x1.1a35beb6fcb75p0,
    0x1.1d4873168b9aap0, 0x1.2063b88628cd6p0, 0x1.2387a6e756238p0,
    0x1.26b4565e27cddp0, 0x1.29e9df51fdee1p0, 0x1.2d285a6e4030bp0,
    0x1.306fe0a31b715p0, 0x1.33c08b26416ffp0, 0x1.371a7373aa9cbp0,
    0x1.3a7db34e59ff7p0, 0x1.3dea64c123422p0, 0x1.4160a21f72e2ap0,
    0x1.44e086061892dp0, 0x1.486a2b5c13cdp0, 0x1.4bfdad5362a27p0,
    0x1.4f9b2769d2ca7p0, 0x1.5342b569d4f82p0, 0x1.56f4736b527dap0,
    0x1.5ab07dd485429p0, 0x1.5e76f15ad2148p0, 0x1.6247eb03a5585p0,
    0x1.6623882552225p0, 0x1.6a09e667f3bcdp0, 0x1.6dfb23c651a2fp0,
    0x1.71f75e8ec5f74p0, 0x1.75feb564267c9p0, 0x1.7a11473eb0187p0,
    0x1.7e2f336cf4e62p0, 0x1.82589994cce13p0, 0x1.868d99b4492edp0,
    0x1.8ace5422aa0dbp0, 0x1.8f1ae99157736p0, 0x1.93737b0cdc5e5p0,
    0x1.97d829fde4e5p0, 0x1.9c49182a3f09p0, 0x1.a0c667b5de565p0,
    0x1.a5503b23e255dp0, 0x1.a9e6b5579fdbfp0, 0x1.ae89f995ad3adp0,
    0x1.b33a2b84f15fbp0, 0x1.b7f76f2fb5e47p0, 0x1.bcc1e904bc1d2p0,
    0x1.c199bdd85529cp0, 0x1.c67f12e57d14bp0, 0x1.cb720dcef9069p0,
    0x1.d072d4a07897cp0, 0x1.d5818dcfba487p0, 0x1.da9e603db3285p0,
    0x1.dfc97337b9b5fp0, 0x1.e502ee78b3ff6p0, 0x1.ea4afa2a490dap0,
    0x1.efa1bee615a27p0, 0x1.f50765b6e454p0, 0x1.fa7c1819e90d8p0,
};

const double math_log_table[91] = {
    -0x1.68ac83e9c6a14p-2, -0x1.5d5bddf595f3p-2, -0x1.522ae0738a3d8p-2,
    -0x1.4718dc271c41bp-2, -0x1.3c25277333184p-2, -0x1.314f1e1d35ce4p-2,
    -0x1.269621134db92p-2, -0x1.1bf99635a6b95p-2, -0x1.1178e8227e47cp-2,
    -0x1.07138604d5862p-2, -0x1.f991c6cb3b379p-3, -0x1.e530effe71012p-3,
    -0x1.d1037f2655e7bp-3, -0x1.bd087383bd8adp-3, -0x1.a93ed3c8ad9e3p-3,
    -0x1.95a5adcf7017fp-3, -0x1.823c16551a3c2p-3, -0x1.6f0128b756abcp-3,
    -0x1.5bf406b543db2p-3, -0x1.4913d8333b561p-3, -0x1.365fcb0159016p-3,
    -0x1.23d712a49c202p-3, -0x1.1178e8227e47cp-3, -0x1.fe89139dbd566p-4,
    -0x1.da727638446a2p-4, -0x1.b6ac88dad5b1cp-4, -0x1.9335e5d594989p-4,
    -0x1.700d30aeac0e1p-4, -0x1.4d3115d207eacp-4, -0x1.2aa04a44717a5p-4,
    -0x1.08598b59e3a07p-4, -0x1.ccb73cdddb2ccp-5, -0x1.894aa149fb343p-5,
    -0x1.466aed42de3eap-5, -0x1.0415d89e74444p-5, -0x1.8492528c8cabfp-6,
    -0x1.0205658935847p-6, -0x1.010157588de71p-7, 0x0p0, 0x1.fe02a6b106789p-8,
    0x1.fc0a8b0fc03e4p-7, 0x1.7b91b07d5b11bp-6, 0x1.f829b0e7833p-6,
    0x1.39e87b9febd6p-5, 0x1.77458f632dcfcp-5, 0x1.b42dd711971bfp-5,
    0x1.f0a30c01162a6p-5, 0x1.16536eea37ae1p-4, 0x1.341d7961bd1d1p-4,
    0x1.51b073f06183fp-4, 0x1.6f0d28ae56b4cp-4, 0x1.8c345d6319b21p-4,
    0x1.a926d3a4ad563p-4, 0x1.c5e548f5bc743p-4, 0x1.e27076e2af2e6p-4,
    0x1.fec9131dbeabbp-4, 0x1.0d77e7cd08e59p-3, 0x1.1b72ad52f67ap-3,
    0x1.29552f81ff523p-3, 0x1.371fc201e8f74p-3, 0x1.44d2b6ccb7d1ep-3,
    0x1.526e5e3a1b438p-3, 0x1.5ff3070a793d4p-3, 0x1.6d60fe719d21dp-3,
    0x1.7ab890210d909p-3, 0x1.87fa06520c911p-3, 0x1.9525a9cf456b4p-3,
    0x1.a23bc1fe2b563p-3, 0x1.af3c94e80bff3p-3, 0x1.bc286742d8cd6p-3,
    0x1.c8ff7c79a9a22p-3, 0x1.d5c216b4fbb91p-3, 0x1.e27076e2af2e6p-3,
    0x1.ef0adcbdc5936p-3, 0x1.fb9186d5e3e2bp-3, 0x1.0402594b4d041p-2,
    0x1.0a324e27390e3p-2, 0x1.1058bf9ae4ad5p-2, 0x1.1675cababa60ep-2,
    0x1.1c898c16999fbp-2, 0x1.22941fbcf7966p-2, 0x1.2895a13de86a3p-2,
    0x1.2e8e2bae11d31p-2, 0x1.347dd9a987d55p-2, 0x1.3a64c556945eap-2,
    0x1.404308686a7e4p-2, 0x1.4618bc21c5ec2p-2, 0x1.4be5f957778a1p-2,
    0x1.51aad872df82dp-2, 0x1.5767717455a6cp-2, 0x1.5d1bdbf5809cap-2,
};

const double math_atan_table[65] = {
    0x0p0, 0x1.fff555bbb729bp-7, 0x1.ffd55bba97625p-6, 0x1.7fb818430da2ap-5,
    0x1.ff55bb72cfdeap-5, 0x1.3f59f0e7c559dp-4, 0x1.7ee182602f10fp-4,
    0x1.be39ebe6f07c3p-4, 0x1.fd5ba9aac2f6ep-4, 0x1.1e1fafb043727p-3,
    0x1.3d6eee8c6626cp-3, 0x1.5c9811e3ec26ap-3, 0x1.7b97b4bce5b02p-3,
    0x1.9a6a8e96c8626p-3, 0x1.b90d7529260a2p-3, 0x1.d77d5df205736p-3,
    0x1.f5b75f92c80ddp-3, 0x1.09dc597d86362p-2, 0x1.18bf5a30bf178p-2,
    0x1.278372057ef46p-2, 0x1.362773707ebccp-2, 0x1.44aa436c2af0ap-2,
    0x1.530ad9951cd4ap-2, 0x1.614840309cfe2p-2, 0x1.6f61941e4def1p-2,
    0x1.7d5604b63b3f7p-2, 0x1.8b24d394a1b25p-2, 0x1.98cd5454d6b18p-2,
    0x1.a64eec3cc23fdp-2, 0x1.b3a911da65c6cp-2, 0x1.c0db4c94ec9fp-2,
    0x1.cde53432c1351p-2, 0x1.dac670561bb4fp-2, 0x1.e77eb7f175a34p-2,
    0x1.f40dd0b541418p-2, 0x1.0039c73c1a40cp-1, 0x1.0657e94db30dp-1,
    0x1.0c6145b5b43dap-1, 0x1.1255d9bfbd2a9p-1, 0x1.1835a88be7c13p-1,
    0x1.1e00babdefeb4p-1, 0x1.23b71e2cc9e6ap-1, 0x1.2958e59308e31p-1,
    0x1.2ee628406cbcap-1, 0x1.345f01cce37bbp-1, 0x1.39c391cd4171ap-1,
    0x1.3f13fb89e96f4p-1, 0x1.445065b795b56p-1, 0x1.4978fa3269ee1p-1,
    0x1.4e8de5bb6ec04p-1, 0x1.538f57b89061fp-1, 0x1.587d81f732fbbp-1,
    0x1.5d58987169b18p-1, 0x1.6220d115d7b8ep-1, 0x1.66d663923e087p-1,
    0x1.6b798920b3d99p-1, 0x1.700a7c5784634p-1, 0x1.748978fba8e0fp-1,
    0x1.78f6bbd5d315ep-1, 0x1.7d528289fa093p-1, 0x1.819d0b7158a4dp-1,
    0x1.85d69576cc2c5p-1, 0x1.89ff5ff57f1f8p-1, 0x1.8e17aa99cc05ep-1,
    0x1.921fb54442d18p-1,
};

const double math_erf_table[65] = {
    0x0p0, 0x1.207d480e90658p-4, 0x1.1f5e1a35c3b89p-3, 0x1.ac45e37fe2526p-3,
    0x1.1af54e232d609p-2, 0x1.5da9f415ff23fp-2, 0x1.9dd0d2b721f39p-2,
    0x1.db081ce6e2a48p-2, 0x1.0a7ef5c18edd2p-1, 0x1.25b8a88b6dd7fp-1,
    0x1.3f196dcd0f135p-1, 0x1.569243d2b3a9bp-1, 0x1.6c1c9759d0e5fp-1,
    0x1.7fb9bfaed8078p-1, 0x1.91724951b8fc6p-1, 0x1.a1551a16aaeafp-1,
    0x1.af767a741088bp-1, 0x1.bbef0fbde6221p-1, 0x1.c6dad2829ec62p-1,
    0x1.d0580b2cfd249p-1, 0x1.d8865d98abe01p-1, 0x1.df85ea8db188ep-1,
    0x1.e5768c3b4a3fcp-1, 0x1.ea7730ed0bbb9p-1, 0x1.eea5557137aep-1,
    0x1.f21c9f12f0677p-1, 0x1.f4f693b67bd77p-1, 0x1.f74a6d9a38383p-1,
    0x1.f92d077f8d56dp-1, 0x1.fab0dd89d1309p-1, 0x1.fbe61eef4cf6ap-1,
    0x1.fcdacca0bfb73p-1, 0x1.fd9ae142795e3p-1, 0x1.fe307f2b503dp-1,
    0x1.fea4218d6594ap-1, 0x1.fefcce6813974p-1, 0x1.ff404760319b4p-1,
    0x1.ff733814af88cp-1, 0x1.ff9960f3eb327p-1, 0x1.ffb5bdf67fe6fp-1,
    0x1.ffcaa8f4c9beap-1, 0x1.ffd9f78c7524ap-1, 0x1.ffe514bbdc197p-1,
    0x1.ffed167b12ac2p-1, 0x1.fff2cfb0453d9p-1, 0x1.fff6dee89352ep-1,
    0x1.fff9ba420e834p-1, 0x1.fffbb8f1049c6p-1, 0x1.fffd1ac4135f9p-1,
    0x1.fffe0e0140857p-1, 0x1.fffeb3ebb267bp-1, 0x1.ffff2436a21dcp-1,
    0x1.ffff6f9f67e55p-1, 0x1.ffffa1de8c582p-1, 0x1.ffffc316d9edp-1,
    0x1.ffffd8e1a2f22p-1, 0x1.ffffe710d565ep-1, 0x1.fffff039f9e8fp-1,
    0x1.fffff618c3da6p-1, 0x1.fffff9d446cccp-1, 0x1.fffffc2f171e3p-1,
    0x1.fffffda86faa9p-1, 0x1.fffffe92ced93p-1, 0x1.ffffff233ee1dp-1,
    0x1.ffffff7b91176p-1,
};

const double math_erf_slope[65] = {
    0x1.20dd750429b6dp0, 0x1.1fbd27cdc72d3p0, 0x1.1c62fa1e869b6p0,
    0x1.16e2d7093cd8cp0, 0x1.0f5d1602f7e41p0, 0x1.05fd3ecbec298p0,
    0x1.f5f0cdaf15313p-1, 0x1.dd167c4cf9d2ap-1, 0x1.c1efca49a5011p-1,
    0x1.a5074e215762p-1, 0x1.86e9694134b9ep-1, 0x1.681ff24b4ab04p-1,
    0x1.492e42d78d2c5p-1, 0x1.2a8dcede3673bp-1, 0x1.0cab61f084b93p-1,
    0x1.dfca26f5bbf88p-2, 0x1.a911f096fbc26p-2, 0x1.75a91a7f4d2edp-2,
    0x1.45e99bcbb7915p-2, 0x1.1a0dc51a9934dp-2, 0x1.e4652fadcb6b2p-3,
    0x1.9cb5bd549b111p-3, 0x1.5ce595c455b0ap-3, 0x1.24a7b84d38971p-3,
    0x1.e723726b824a9p-4, 0x1.92470a61b6965p-4, 0x1.499d478bca735p-4,
    0x1.0bf97e95f2a64p-4, 0x1.b055303221015p-5, 0x1.5a08e85af27ep-5,
    0x1.12ceb37ff9bc3p-5, 0x1.b1160991ff737p-6, 0x1.529b9e8cf9a1ep-6,
    0x1.06ae13b0d3255p-6, 0x1.94624e78e0fafp-7, 0x1.34d7dbc76d7e5p-7,
    0x1.d4143a9dfe965p-8, 0x1.5ff2750fe782p-8, 0x1.06918b6355624p-8,
    0x1.84ba3004a50dp-9, 0x1.1d83170fbf6fbp-9, 0x1.a024365f771bdp-10,
    0x1.2ce898809244ep-10, 0x1.afc85e0f82e12p-11, 0x1.3360ccd23db3ap-11,
    0x1.b23a5a23e421p-12, 0x1.30538fbb77ecdp-12, 0x1.a740684026555p-13,
    0x1.2408e9ba3327fp-13, 0x1.8fdc1b2dcf7b9p-14, 0x1.0f9e1b4dd36dfp-14,
    0x1.6e2367dc27f95p-15, 0x1.e9b5e8d00ce77p-16, 0x1.44f21e49054f2p-16,
    0x1.abe09e9144b5ep-17, 0x1.1783ceac2891p-17, 0x1.6a597219a93dap-18,
    0x1.d21397ead99cbp-19, 0x1.296a70f414053p-19, 0x1.789fb715aae95p-20,
    0x1.d9371e2ff7c35p-21, 0x1.26f9df8519bd7p-21, 0x1.6ce1aa3fd7bddp-22,
    0x1.bfd7555a3bd68p-23, 0x1.10b1488aeb235p-23,
};

const uint32_t math_two_over_pi[9] = {
    0x00000000, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0,
    0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561
};
// clang-format on
