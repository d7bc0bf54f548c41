"""Certificates for tests, by openssl: an authority of their own, and certificates of hosts."""
import subprocess


def openssl(*arguments, **options):
    done = subprocess.run(["openssl", *map(str, arguments)], capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


class Authority:
    def __init__(self, folder):
        self.folder = folder
        self.certificate, self.key = folder / "authority.pem", folder / "authority.key"
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", self.key, "-out", self.certificate,
                "-days", "30", "-subj", "/CN=Authority of the tests", "-addext", "keyUsage=critical,keyCertSign")

    def issue(self, name, names="DNS:localhost,IP:127.0.0.1", begins=None, ends=None, kind=("rsa:2048",)):
        """The files of a certificate and its key; times as 20300101000000Z."""
        key, request, file = (self.folder / f"{name}.{end}" for end in ("key", "csr", "pem"))
        openssl("req", "-newkey", *kind, "-nodes", "-keyout", key, "-out", request, "-subj", f"/CN={name}")
        extensions = self.folder / f"{name}.ext"
        extensions.write_text(f"subjectAltName={names}\nbasicConstraints=CA:FALSE\nextendedKeyUsage=serverAuth\n")
        days = ["-days", "20"]
        if ends:
            (self.folder / "index.txt").touch()
            (self.folder / "ca.cnf").write_text(
                f"[ca]\ndefault_ca=d\n[d]\ndatabase={self.folder}/index.txt\nnew_certs_dir={self.folder}\n"
                f"rand_serial=yes\ndefault_md=sha256\npolicy=p\nunique_subject=no\n[p]\ncommonName=supplied\n")
            openssl("ca", "-batch", "-config", self.folder / "ca.cnf", "-cert", self.certificate, "-keyfile", self.key,
                    "-in", request, "-out", file, "-notext", "-startdate", begins or "20200101000000Z", "-enddate",
                    ends, "-extfile", extensions)
        else:
            openssl("x509", "-req", "-in", request, "-CA", self.certificate, "-CAkey", self.key, "-CAcreateserial",
                    "-out", file, *days, "-extfile", extensions)
        return file, key
